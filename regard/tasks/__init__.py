"""What is learnt: the data of a task, what is minimised and what is measured."""
