#!/usr/bin/env node
// TRICKY: Linux ignores a signal to process 1, which the program is in most containers, unless that has a handler. So a signal ends it from
// its first line on, and again wherever nothing else listens: the exit code is that of a process which the signal has ended.
if (process.pid === 1) {
  process.on('SIGINT', () => {
    if (process.listenerCount('SIGINT') === 1) process.exit(130);
  });
  process.on('SIGTERM', () => {
    if (process.listenerCount('SIGTERM') === 1) process.exit(143);
  });
}
// TRICKY: CommonJS without imports, because Node loads ES modules with its thread pool, whose size is fixed from then on. The core reads,
// writes and syncs many files at once; with the default four threads, queries would wait for inserts. A supervised core gets the variables
// from its supervisor. The allocator returns unused memory to the system after half a second.
if (process.argv[2] === 'core') {
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  process.env['JE_MALLOC_CONF'] ??= 'dirty_decay_ms:500,muzzy_decay_ms:0';
}
void import('./main.ts');
