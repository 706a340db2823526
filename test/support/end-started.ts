import { afterAll } from 'vitest';
import { killStarted } from './process-tree.ts';

// Runs with every file of system tests: processes that a failed test leaves running end with its file.
afterAll(killStarted);
