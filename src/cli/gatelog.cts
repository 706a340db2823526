#!/usr/bin/env node
// TRICKY: no module of the other kind: Node loads those with the threads of its pool, whose number then stands.
// The core reads, writes and syncs many files at once; with Node's four, queries would wait for inserts. A core under a supervisor has it from there.
if (process.argv[2] === 'core') process.env['UV_THREADPOOL_SIZE'] ??= '16';
void import('./main.ts');
