#!/usr/bin/env node
import { runCommand } from './command.ts';
import { systemDependencies } from './dependencies.ts';

process.exitCode = await runCommand(process.argv.slice(2), systemDependencies(process.env));
