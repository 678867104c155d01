"""What is learnt: the data of a task, the loss that is minimised and the numbers that are measured."""
