#!/usr/bin/env node
// TRICKY: CommonJS without imports, because Node loads ES modules with its thread pool, whose size is fixed from then on. The core reads,
// writes and syncs many files at once; with the default four threads, queries would wait for inserts. A supervised core gets the variables
// from its supervisor. The allocator returns unused memory to the system after half a second.
if (process.argv[2] === 'core') {
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  process.env['JE_MALLOC_CONF'] ??= 'dirty_decay_ms:500,muzzy_decay_ms:0';
}
void import('./main.ts');
