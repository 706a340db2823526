import { afterAll } from 'vitest';
import { killStarted } from './process-tree.ts';

// Runs with every file of system tests: what a failed test leaves running ends with its file.
afterAll(killStarted);
