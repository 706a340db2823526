import { describe, expect, it } from 'vitest';
import { committedFiles, partDigest, programDigest } from './nightly-sources.ts';

const files = {
  'src/spool/spool.ts': 'a1',
  'src/spool/spool.test.ts': 'a2',
  'docs/guide.md': 'a3',
  'README.md': 'a4',
  'vitest.config.ts': 'a5',
  'test/support/setup.ts': 'a6',
  'test/kills.system.test.ts': 'a7',
  'test/support/kill.ts': 'a8',
  'test/support/sent.ts': 'a9',
  'test/mail.system.test.ts': 'b1',
  'test/check.system.test.ts': 'b2',
  'web/features/list.tsx': 'b3',
  'test/dashboard.system.test.ts': 'b4',
  'test/support/browser.ts': 'b5',
  'deploy/nginx/proxy.conf': 'b6',
  'test/support/nginx.ts': 'b7',
};
const names: Readonly<Record<string, readonly string[]>> = {
  'vitest.config.ts': ['test/support/setup.ts'],
  'test/kills.system.test.ts': ['test/support/kill.ts', 'src/spool/spool.ts'],
  'test/support/kill.ts': ['test/support/sent.ts', 'test/kills.system.test.ts'],
  'test/dashboard.system.test.ts': ['test/support/browser.ts', 'web/features/list.tsx'],
  'test/mail.system.test.ts': ['test/support/nginx.ts'],
};

function digestsWith(changed: Readonly<Record<string, string>>) {
  const listing = Object.entries({ ...files, ...changed }).map(([file, hash]) => `100644 blob ${hash}\t${file}`);
  const committed = committedFiles(listing.join('\n'));
  const part = (entry: string): string => partDigest(entry, committed, (file) => names[file] ?? []);
  return {
    program: programDigest(committed),
    kills: part('test/kills.system.test.ts'),
    mail: part('test/mail.system.test.ts'),
    check: part('test/check.system.test.ts'),
    dashboard: part('test/dashboard.system.test.ts'),
  };
}

describe('results of the long run are kept', () => {
  const before = digestsWith({});

  it('over changes of documents', () => {
    expect(digestsWith({ 'docs/guide.md': 'c', 'README.md': 'c', 'docs/new.md': 'c' })).toEqual(before);
  });

  it('not over a change of the program', () => {
    expect(digestsWith({ 'src/spool/spool.ts': 'c' }).program).not.toBe(before.program);
    expect(digestsWith({ 'src/spool/new.ts': 'c' }).program).not.toBe(before.program);
    expect(digestsWith({ 'vitest.config.ts': 'c' }).program).not.toBe(before.program);
  });

  it.each(['test/kills.system.test.ts', 'test/support/kill.ts', 'test/support/sent.ts'])(
    'over a change of %s, but those of the parts that load it, and of those that look at the whole tree',
    (file) => {
      const after = digestsWith({ [file]: 'c' });
      expect({ ...after, kills: before.kills, check: before.check }).toEqual(before);
      expect(after.kills).not.toBe(before.kills);
      expect(after.check).not.toBe(before.check);
    },
  );

  it.each(['web/features/list.tsx', 'web/features/new.css'])('over a change of %s, but those of the parts that open pages', (file) => {
    const after = digestsWith({ [file]: 'c' });
    expect({ ...after, dashboard: before.dashboard, check: before.check }).toEqual(before);
    expect(after.dashboard).not.toBe(before.dashboard);
    expect(after.check).not.toBe(before.check);
  });

  it('over a change of an example of a proxy, but those of the parts that start one', () => {
    const after = digestsWith({ 'deploy/nginx/proxy.conf': 'c' });
    expect({ ...after, mail: before.mail }).toEqual(before);
    expect(after.mail).not.toBe(before.mail);
  });

  it('not over a change of what every test loads', () => {
    const after = digestsWith({ 'test/support/setup.ts': 'c' });
    expect([after.kills === before.kills, after.mail === before.mail]).toEqual([false, false]);
  });
});
