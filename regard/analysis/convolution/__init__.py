"""Convolutions as attention and back: conversion, its certificate, and what gaussian heads have become."""
