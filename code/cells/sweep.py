from math import ceil

runs, hours_each, gpus = 100, 10, 4

rounds = ceil(runs / gpus)
print(f"{rounds} rounds, {rounds * hours_each} hours at the laptop's speed")
for faster in (2, 5, 10, 20):
    print(f"{faster:3} times as fast: {rounds * hours_each / faster:6.1f} hours")
