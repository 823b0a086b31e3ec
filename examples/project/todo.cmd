@echo off
rem Runs the program from the folder that this file is in.
set PYTHONPATH=%~dp0
python -m todo %*
