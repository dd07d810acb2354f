from mlhpc import cluster, plan

project = plan.from_mapping(
    {"model": "resnet50", "data_size": "1 TB", "laptop_hours": "20 days"}, "mine"
)
made = plan.plan(project, cluster.load("sagehen"))

print(made.place, made.full.gpus, "x", made.full.gpu)
for reason in made.reasons[:4]:
    print("-", reason.text)
