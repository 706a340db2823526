import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeMeasureDiskSpace, remoteFileSystemOf } from './disk-space.ts';

it('a folder has the free and all bytes of its file system', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-disk-'));
  const { freeBytes, sizeBytes, spareBytes } = makeMeasureDiskSpace(folder, 5)();
  rmSync(folder, { recursive: true });
  expect(freeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeGreaterThan(freeBytes);
  expect(spareBytes).toBe(5);
});

it.each([
  ['ext4', 0xef53, undefined],
  ['xfs', 0x58_46_53_42, undefined],
  ['tmpfs', 0x01_02_19_94, undefined],
  ['overlay', 0x79_4c_76_30, undefined],
  ['NFS', 0x6969, 'nfs'],
  ['CIFS', 0xff_53_4d_42, 'smb'],
  ['SMB 2', 0xfe_53_4d_42, 'smb'],
  ['a folder that a hypervisor shares', 0x01_02_19_97, '9p'],
  ['a program in user space', 0x65_73_55_46, 'fuse'],
])('%s: %i is %s', (_name, type, remote) => {
  expect(remoteFileSystemOf(type)).toBe(remote);
});
