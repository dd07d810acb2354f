#!/bin/bash
# Reading data: timed on CPU cores, preset publish. Written by mlhpc bench submit.
#SBATCH --job-name=mlhpc-loading-cpu
#SBATCH --partition=amd
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=%x-%j.out

set -uo pipefail
# CHANGE ME to the line that gives you your Python. What there is: module avail python
source "$HOME/envs/mlhpc/bin/activate" || exit 1
export OMP_NUM_THREADS="$SLURM_CPUS_PER_TASK"

# from the folder of the checkout
mlhpc bench run loading --preset publish --device cpu --cluster sagehen
