from mlhpc.estimate import memory, models

model = models.resnet50(image=224)

for batch in (32, 64, 128, 256, 512):
    need = memory.training(model, batch, precision="amp", optimizer="momentum").total
    print(f"batch {batch:4}: {need.low:5.1f} to {need.high:5.1f} GiB")
