"""What a training program imports: ``timer``. (``model_cost`` counts a torch model, in a child.)"""
