import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HostsFile } from './hosts-file.ts';
import { makeLookUp, type LookUpOptions } from './look-up.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

const noHosts = new HostsFile('/nowhere/hosts');

/** What of a name is asked: 1 its IPv4 addresses, 28 its IPv6 addresses. */
type Kind = 1 | 28;

/** A name server. @param answer the bytes of an address; none: there is none; undefined: no answer at all. */
async function nameServer(answer: (kind: Kind) => readonly number[] | undefined): Promise<readonly string[]> {
  const server: Socket = createSocket('udp4');
  server.on('message', (question, { address, port }) => {
    const kind = question.readUInt16BE(question.indexOf(0, 12) + 1) as Kind;
    const bytes = answer(kind);
    if (bytes === undefined) return;
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x81_80, 2);
    head.writeUInt16BE(bytes.length === 0 ? 0 : 1, 6);
    head.writeUInt16BE(0, 10);
    const asked = question.subarray(12, question.indexOf(0, 12) + 5);
    const found = bytes.length === 0 ? [] : [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes];
    server.send(Buffer.concat([head, asked, Buffer.from(found)]), port, address);
  });
  await new Promise<void>((resolve) => {
    server.bind(0, '127.0.0.1', resolve);
  });
  opened.push(() => server.close());
  return [`127.0.0.1:${server.address().port}`];
}

async function look(hostname: string, options: Partial<LookUpOptions>, family?: 4 | 6): Promise<string> {
  return new Promise((resolve) => {
    makeLookUp({ timeoutMs: 5000, hosts: noHosts, ...options })(
      hostname,
      { all: true, ...(family === undefined ? {} : { family }) },
      (error, found) => {
        resolve(error === null ? (found as LookupAddress[]).map(({ address }) => address).join(' ') : String(error.code));
      },
    );
  });
}

const four = [192, 0, 2, 7] as const;
const six = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7] as const;

describe('a name that a caller chose', () => {
  it('has the addresses of both families that its name servers say, and those of one where the other fails or is not wanted', async () => {
    const both = await nameServer((kind) => (kind === 1 ? four : six));
    const one = await nameServer((kind) => (kind === 1 ? undefined : six));
    const none = await nameServer(() => []);
    expect(await look('api.example.com', { servers: both })).toBe('192.0.2.7 2001:db8::7');
    expect(await look('api.example.com', { servers: both }, 6)).toBe('2001:db8::7');
    expect(await look('api.example.com', { servers: one, timeoutMs: 100 })).toBe('2001:db8::7');
    expect(await look('api.example.com', { servers: none })).toBe('ENODATA');
  });

  it('whose name servers are silent is given up in time, and takes none of the threads that files and other names need', async () => {
    const silent = await nameServer(() => undefined);
    const looks = Array.from({ length: 40 }, async (_, index) => look(`n${index}.slow.example`, { servers: silent, timeoutMs: 100 }));
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    expect(new Set(await Promise.all(looks))).toEqual(new Set(['ETIMEDOUT']));
  });

  it('is found in the hosts file first, in any case, as the file is by then', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-hosts-'));
    opened.push(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'hosts');
    const servers = await nameServer((kind) => (kind === 1 ? four : []));
    const hosts = new HostsFile(file);
    expect(await look('llm.example', { hosts, servers })).toBe('192.0.2.7');
    writeFileSync(file, '# ours\n10.0.0.5\tLLM.example other # the first\n::1 llm.example\nnonsense llm.example\n');
    expect(await look('llm.Example', { hosts, servers })).toBe('10.0.0.5 ::1');
    expect(await look('llm.example', { hosts, servers }, 4)).toBe('10.0.0.5');
  });
});
