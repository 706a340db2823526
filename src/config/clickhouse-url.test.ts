import { describe, expect, it } from 'vitest';
import { readClickHouseUrl } from './clickhouse-url.ts';

describe('the address of ClickHouse', () => {
  it.each([
    ['http://clickhouse:8123', { urls: ['http://clickhouse:8123/gatelog'], database: 'gatelog', cluster: undefined }],
    ['https://u:p%40ss@ch.example.com/calls', { urls: ['https://u:p%40ss@ch.example.com/calls'], database: 'calls' }],
    [
      'http://u:p@a:8123/calls, http://u:p@b:8123/calls?cluster=main',
      { urls: ['http://u:p@a:8123/calls', 'http://u:p@b:8123/calls'], database: 'calls', cluster: 'main' },
    ],
    ['http://[::1]:8123/?cluster=c-1', { urls: ['http://[::1]:8123/gatelog'], cluster: 'c-1' }],
  ])('%s', (text, servers) => {
    expect(readClickHouseUrl(text)).toMatchObject({ value: servers });
  });

  it.each([
    ['planted', 'is not an address, or not several with commas between them'],
    ['clickhouse://u:planted@a:9000', 'starts neither with http:// nor with https://'],
    ['http://u:planted@a:8123/x/y', 'has a path that is not the name of a database'],
    ['http://u:planted@a:8123/x#y', 'holds a fragment'],
    ['http://u:planted@a:8123/x?database=y', 'has a parameter besides cluster'],
    ['http://u:planted@a/x,http://u:planted@b/y', 'names several databases'],
    ['http://a/x?cluster=c,http://b/x?cluster=d', 'names several clusters'],
    ['http://u:planted@a/x,http://v:planted@a/x', 'names a server twice'],
    ['http://a/x;y', 'has a database whose name is not made of letters, digits, "_" and "-"'],
    ['http://a/x?cluster=a.b', 'has a cluster whose name is not made of letters, digits, "_" and "-"'],
    ['http://u:%zz@a/x', 'has a % that is not followed by two hexadecimal digits'],
    [Array.from({ length: 17 }, (_none, index) => `http://h${index}`).join(','), 'names more than 16 servers'],
  ])('%s is refused, and not repeated', (text, problem) => {
    const read = readClickHouseUrl(text);
    expect(read).toEqual({ problem });
    expect(JSON.stringify(read)).not.toContain('planted');
  });
});
