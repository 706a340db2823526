#!/usr/bin/env node
// TRICKY: no module of the other kind: Node loads those with the threads of its pool, whose number then stands.
// The core reads, writes and syncs many files at once; with Node's four, queries would wait for inserts. A core under a supervisor has it from there.
// And what the engine has not used again for half a second it gives back to the system.
if (process.argv[2] === 'core') {
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  process.env['JE_MALLOC_CONF'] ??= 'dirty_decay_ms:500,muzzy_decay_ms:0';
}
void import('./main.ts');
