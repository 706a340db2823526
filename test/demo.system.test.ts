import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { eventually } from './support/eventually.ts';
import { ownEnvironment } from './support/own-environment.ts';
import { program } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';

function folders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('gatelog-demo-'));
}

it('shows teams with what they cost, a session that was dearest, and nothing is left of it after Ctrl-C', async () => {
  const port = await stablePort();
  const before = new Set(folders());
  const demo = spawn(process.execPath, [program, 'demo', '--requests', '600', '--port', String(port)], { env: ownEnvironment() });
  const ended = once(demo, 'exit');
  let printed = '';
  demo.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  try {
    await eventually('the demo is filled', () => (printed.includes('Dashboard') ? true : undefined), 120_000);
    const [, apiKey = ''] = /^Key\s+(\S+)$/m.exec(printed) ?? [];
    const gatelog = createClient({ apiUrl: `http://127.0.0.1:${port + 1}`, apiKey });
    const { data: teams } = await gatelog.metrics.query({ metrics: ['cost', 'count'], groupBy: [{ property: 'Team' }], totals: true });
    const names = teams.map((row) => ('properties.Team' in row ? row['properties.Team'] : null));
    expect(names).toEqual(expect.arrayContaining(['search', 'support', 'platform', 'finance']));
    expect(teams.find(({ total }) => total)?.cost).toBeGreaterThan(0);
    const { data: sessions } = await gatelog.sessions.query({ sort: { total_cost: 'desc' }, limit: 1 });
    expect(sessions[0]).toMatchObject({ session_name: 'Find out why the nightly export is slow' });
    expect(Number(sessions[0]?.total_requests)).toBeGreaterThan(64);
    expect((await gatelog.boards.list()).data.map(({ name }) => name)).toEqual(['Spend']);
  } finally {
    demo.kill('SIGINT');
  }
  expect(await ended).toEqual([0, null]);
  expect(folders().filter((name) => !before.has(name))).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port + 1}/healthz`)).rejects.toThrow('fetch failed');
});
