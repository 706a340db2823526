#!/usr/bin/env node
import { runCommand } from './command.ts';
import { endWithReader, systemDependencies } from './base/dependencies.ts';

process.stdout.on('error', endWithReader);
process.exitCode = await runCommand(process.argv.slice(2), systemDependencies(process.env));
