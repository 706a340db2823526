import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCgroupLimits, usableCores } from './cgroup.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** A file system with these files. */
function rootWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'gatelog-cgroup-'));
  roots.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), `${text}\n`);
  }
  return root;
}

const MiB = 1024 * 1024;
const version1 = '5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/docker/abc\n0::/docker/abc';

describe('limits of control groups', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, ReturnType<typeof readCgroupLimits>]>([
    ['another system: none', {}, {}],
    ['version 2 at its root: none', { 'proc/self/cgroup': '0::/' }, {}],
    [
      'a container of version 2',
      { 'proc/self/cgroup': '0::/', 'sys/fs/cgroup/memory.max': String(512 * MiB), 'sys/fs/cgroup/cpu.max': '150000 100000' },
      { memoryBytes: 512 * MiB, cores: 1.5 },
    ],
    [
      'a service that may use all',
      {
        'proc/self/cgroup': '0::/system.slice/gatelog.service',
        'sys/fs/cgroup/system.slice/gatelog.service/memory.max': 'max',
        'sys/fs/cgroup/system.slice/gatelog.service/cpu.max': 'max 100000',
      },
      {},
    ],
    [
      'the lowest of a group and those above it',
      {
        'proc/self/cgroup': '0::/a.slice/b.slice/gatelog.service',
        'sys/fs/cgroup/a.slice/memory.max': String(300 * MiB),
        'sys/fs/cgroup/a.slice/b.slice/memory.max': String(900 * MiB),
        'sys/fs/cgroup/a.slice/b.slice/gatelog.service/memory.max': 'max',
        'sys/fs/cgroup/a.slice/b.slice/cpu.max': '200000 100000',
        'sys/fs/cgroup/a.slice/b.slice/gatelog.service/cpu.max': '400000 100000',
      },
      { memoryBytes: 300 * MiB, cores: 2 },
    ],
    [
      'a group that lies outside of the container',
      { 'proc/self/cgroup': '0::/../other', 'sys/fs/cgroup/memory.max': String(64 * MiB), 'sys/fs/other/memory.max': '1' },
      { memoryBytes: 64 * MiB },
    ],
    [
      'a container of version 1, whose path is only there outside',
      {
        'proc/self/cgroup': version1,
        'sys/fs/cgroup/memory/memory.limit_in_bytes': String(256 * MiB),
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      },
      { memoryBytes: 256 * MiB, cores: 0.5 },
    ],
    [
      'version 1 without limits',
      {
        'proc/self/cgroup': version1,
        'sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '9223372036854771712',
        'sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us': '100000',
      },
      {},
    ],
  ])('%s', (_title, files, expected) => {
    expect(readCgroupLimits(rootWith(files))).toEqual(expected);
  });

  it('usable cores are whole, at least one, and no more than the machine has', () => {
    const all = availableParallelism();
    expect([usableCores({}), usableCores({ cores: 1000 }), usableCores({ cores: 0.5 }), usableCores({ cores: 1.9 })]).toEqual([
      all,
      all,
      1,
      1,
    ]);
  });
});
