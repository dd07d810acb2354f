#!/bin/bash
# Fine-tuning BERT-base: timed on 1 GPU of type a100, preset publish. Written by mlhpc bench submit.
#SBATCH --job-name=mlhpc-bert-a100
#SBATCH --partition=gpu
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:a100:1            # is that its name? sinfo -o %G
#SBATCH --mem=32G
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=%x-%j.out

set -uo pipefail
# CHANGE ME to the line that gives you your Python. What there is: module avail python
source "$HOME/envs/mlhpc/bin/activate" || exit 1
export OMP_NUM_THREADS="$SLURM_CPUS_PER_TASK"
mlhpc detect --require-gpu || exit 1

# from the folder of the checkout
mlhpc bench run bert --preset publish --device cuda --cluster sagehen
