#!/bin/bash
# Project: Project C
# The full run. Written by mlhpc plan; change what you know better.
# Submit it from a folder that you keep, where your program is: sbatch full.sh
#SBATCH --job-name=Project-C
#SBATCH --partition=gpu
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16           # OMP_NUM_THREADS below follows
#SBATCH --gres=gpu:a100:2            # is that its name? sinfo -o %G
#SBATCH --mem=64G                    # is there so much? sinfo -e -p gpu -o "%N %m" (in MiB)
#SBATCH --time=1-12:00:00
#SBATCH --output=%x-%j.out           # beside this script: Slurm makes no folders
#SBATCH --signal=B:USR1@600          # tells this script 600 s before the end

set -uo pipefail

# 1. The environment: which Python, how many threads
# CHANGE ME to the line that gives you your Python. What there is: module avail python
source "$HOME/envs/mlhpc/bin/activate" || exit 1
export OMP_NUM_THREADS="8"   # no more threads than cores
nvidia-smi -L || { echo "This job sees no GPU: stop."; exit 1; }

# 2. Where things are: data and results where they stay, work with the job
LAB="${LAB:-your-lab}"   # CHANGE ME to the folder of your lab: ls /bigdata/
project="/bigdata/$LAB/$USER/Project-C"
data="/bigdata/$LAB/$USER/Project-C/data"
results="$project/results/$SLURM_JOB_ID"
work="/scratch/$USER/job-$SLURM_JOB_ID"
mkdir -p "$results" "$work/results" || exit 1
checkpoints="$results/checkpoints"   # not on storage that ends with the job
mkdir -p "$checkpoints" || exit 1

# 3. Results come back also when the job is cut short: Slurm sends USR1 before the time
#    limit, and TERM when somebody cancels the job
program=; cut=no; status=0
save() {
    cp -r "$work/results/." "$results/" || { echo "Results not saved!"; status=1; }
}
stop() {
    [ "$cut" != no ] || cut=$1
    [ -z "$program" ] || kill -TERM "$program" 2>/dev/null
}
trap "stop time" USR1
trap "stop cancelled" TERM
run() {   # in the background, with wait: only so is the signal heard at once
    "$@" &
    program=$!
    [ "$cut" = no ] || kill -TERM "$program" 2>/dev/null
    wait "$program"; status=$?
    if [ "$cut" != no ]; then   # time to save, but no more than that
        ( sleep 150; kill -KILL "$program" 2>/dev/null ) &
        guard=$!
        while kill -0 "$program" 2>/dev/null; do
            wait "$program"; status=$?
        done
        kill "$guard" 2>/dev/null
    fi
    program=
    save
}

# 4. A copy of the data on the fast storage of this node, if there is room
needed_kib=53710938
free_kib=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
if [ "${free_kib:-0}" -gt "$needed_kib" ] && mkdir -p "$work/data" \
    && cp -r "$data/." "$work/data/"; then
    data="$work/data"
else
    echo "No copy of the data on $work: reading $data"
fi
[ "$cut" = no ] || exit 1

# 5. The program. It should save and end when it gets TERM
#    torchrun starts one process for each GPU of the job
run torchrun --standalone --nproc-per-node=2 train.py \
    --data "$data" \
    --output "$work/results" \
    --checkpoints "$checkpoints"

echo "Results: $results"
[ "$cut" = no ] || exit 1
exit "$status"
