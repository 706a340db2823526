import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { stablePort } from './stable-port.ts';

/** The file that operators take. */
const example = 'deploy/nginx/one-address.conf';

/** A certificate of `localhost` which is its own authority: `NODE_EXTRA_CA_CERTS` names it before Node starts. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** nginx with TLS on loopback, in front of a service. */
export interface Front {
  /** Without the base path. */
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

interface Behind {
  readonly port: number;
  /** Such as `/gatelog`. */
  readonly basePath: string;
  readonly certificate: Certificate;
}

/** The files of a certificate that {@link makeCertificate} has made. */
export function certificateIn(folder: string): Certificate {
  return { certificate: path.join(folder, 'fullchain.pem'), key: path.join(folder, 'privkey.pem') };
}

/** Makes a certificate with openssl. @param folder where its files are kept. */
export function makeCertificate(folder: string): Certificate {
  const made = certificateIn(folder);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  const files = ['-keyout', made.key, '-out', made.certificate];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const { status, stderr } = spawnSync('openssl', ['req', ...kind, ...subject, ...files], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return made;
}

/** Starts the nginx of the PATH with `deploy/nginx/one-address.conf`, of which ports, host, path and certificate are replaced alone. */
export async function startNginx({ port, basePath, certificate }: Behind): Promise<Front> {
  const publicPort = await stablePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-nginx-'));
  // Its workers are of another user where it is started by root.
  chmodSync(folder, 0o755);
  mkdirSync(path.join(folder, 'temp'));
  const server = replaced(readFileSync(example, 'utf8'), [
    ['server 127.0.0.1:8787;', `server 127.0.0.1:${port};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${publicPort} ssl;`],
    ['listen [::]:443 ssl;', ''],
    ['server_name tools.example.com;', 'server_name localhost;'],
    ['/etc/ssl/gatelog/fullchain.pem', certificate.certificate],
    ['/etc/ssl/gatelog/privkey.pem', certificate.key],
    ['location = /gatelog/metrics', `location = ${basePath}/metrics`],
    ['location /gatelog {', `location ${basePath} {`],
  ]);
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; pid nginx.pid; events {}\nhttp {\naccess_log off; ${temporary}\n${server}\n}\n`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => nginx.once('close', () => resolve()));
  nginx.once('error', (error) => (said += error.message));
  const kill = (): void => void nginx.kill('SIGTERM');
  process.once('exit', kill);
  const origin = `https://localhost:${publicPort}`;
  const stop = async (): Promise<void> => {
    kill();
    await ended;
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  };
  await eventually('nginx to listen', () => answers(origin)).catch(async (error: unknown) => {
    await stop();
    throw new Error(`nginx printed: ${said}`, { cause: error });
  });
  return { origin, stop };
}

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path temp/${kind};`).join(' ');

function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((whole, [from, to]) => {
    if (!whole.includes(from)) throw new Error(`${example} has no "${from}" any more`);
    return whole.replace(from, to);
  }, text);
}

async function answers(origin: string): Promise<true | undefined> {
  try {
    await fetch(origin);
    return true;
  } catch {
    return undefined;
  }
}
