import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { selfSigned } from '../../gateway/testing/self-signed.ts';
import type { Observation } from '../../model/observation.ts';
import { followTls, readTls, type Tls } from './tls.ts';

let folder: string;
const write = (name: string, content: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a certificate and its key are read', () => {
  const { cert, key } = selfSigned('gatelog.example.com');
  const read = readTls({ certFile: write('cert.pem', cert), keyFile: write('key.pem', key) });
  expect([read.cert.toString(), read.key.toString()]).toEqual([cert, key]);
});

it('what cannot be used is an error that names setting, file and remedy', () => {
  const own = selfSigned('a.example');
  const certFile = write('cert.pem', own.cert);
  const keyFile = write('key.pem', own.key);
  const other = write('other.pem', selfSigned('a.example').key);
  const none = path.join(folder, 'none.pem');
  expect(() => readTls({ certFile: none, keyFile })).toThrow(`GATELOG_TLS_CERT_FILE is ${none}, which cannot be read: ENOENT`);
  expect(() => readTls({ certFile, keyFile: none })).toThrow(`GATELOG_TLS_KEY_FILE is ${none}, which cannot be read: ENOENT`);
  expect(() => readTls({ certFile: keyFile, keyFile })).toThrow(`GATELOG_TLS_CERT_FILE is ${keyFile}, which holds no certificate in PEM.`);
  expect(() => readTls({ certFile, keyFile: certFile })).toThrow(`which holds no private key without a password in PEM.`);
  expect(() => readTls({ certFile, keyFile: other })).toThrow(/^The key in .*other\.pem .* is not that of the first certificate in /);
});

it('renewed files are taken up, once both fit', async () => {
  const first = selfSigned('a.example');
  const files = { certFile: write('cert.pem', first.cert), keyFile: write('key.pem', first.key) };
  const taken: Tls[] = [];
  const seen: Observation[] = [];
  const end = followTls({ files, take: (tls) => taken.push(tls), observe: (observation) => seen.push(observation), checkMs: 10 });
  const next = selfSigned('renewed.example.com');
  write('cert.pem', next.cert);
  await vi.waitUntil(() => seen.length > 0);
  expect([seen, taken]).toEqual([[{ kind: 'certificate_not_renewed', reason: expect.stringContaining('is not that of') as string }], []]);
  write('key.pem', next.key);
  await vi.waitUntil(() => seen.length > 1);
  expect(seen[1]).toEqual({ kind: 'certificate_renewed' });
  expect(taken.map(({ cert }) => cert.toString())).toEqual([next.cert]);
  end();
});
