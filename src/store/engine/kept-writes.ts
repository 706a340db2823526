import path from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseClient, ExecParams } from '@clickhouse/client';
import { messageOf } from '../../model/errors.ts';
import { readFileIfPresent, replaceFile } from '../../platform/files.ts';
import { isRejection } from './failure.ts';
import { KeptFiles, type KeptFilesOptions } from './kept-files.ts';

/** A life of a server: another one may lack what this one has acknowledged. */
export interface ServerLife {
  readonly id: string;
  /** Unix seconds. */
  readonly startedAt: number;
}

export interface KeptWritesOptions extends Omit<KeptFilesOptions, 'onDropped'> {
  readonly onFailure: (reason: string) => void;
  /** The server that is used lacks what another one has acknowledged just now. */
  readonly onLate: () => void;
}

/** The time since a start is told in whole seconds, and clocks are set. */
const sameStartSeconds = 60;
const lifeFile = 'server.json';

/**
 * What servers have acknowledged lately. A replica that is taken in place of another one, and a server that was restarted, may lack some of
 * it, although it was answered: then all of it is sent once more, in its order. Invariant: each of our writes may run again, since one whose
 * answer is lost does.
 */
export class KeptWrites {
  private readonly options: KeptWritesOptions;
  private readonly files: KeptFiles;
  private life: ServerLife | undefined;
  private last: Promise<void> = Promise.resolve();
  /** How often a server was sent what is kept. */
  private offers = 0;
  /** Something was acknowledged by a server after another one had been sent what was kept. */
  private isLate = false;

  constructor(options: KeptWritesOptions) {
    const { onFailure } = options;
    this.options = options;
    this.files = new KeptFiles({
      ...options,
      onDropped: (bytes) => onFailure(`${bytes} bytes went before their time, as they have no room`),
    });
    this.life = knownLife(path.join(options.folder, lifeFile));
  }

  /** A client of which every acknowledged statement that writes is kept before it is answered. */
  keeping(client: ClickHouseClient): ClickHouseClient {
    const exec = async (params: ExecParams & { readonly values?: Readable }): Promise<unknown> => {
      const pieces: Uint8Array[] = [];
      const { values } = params;
      const offersBefore = this.offers;
      const answer = await client.exec(values === undefined ? params : { ...params, values: Readable.from(collected(values, pieces)) });
      await this.keep(params, pieces);
      if (this.offers !== offersBefore) {
        this.isLate = true;
        this.options.onLate();
      }
      return answer;
    };
    return Object.create(client, { exec: { value: exec } }) as ClickHouseClient;
  }

  /** @returns whether a server may lack what was acknowledged. */
  mayLack({ id, startedAt }: ServerLife): boolean {
    const { life } = this;
    if (this.isLate) return true;
    if (life === undefined) return this.files.bytes > 0;
    return life.id !== id || Math.abs(life.startedAt - startedAt) > sameStartSeconds;
  }

  /** A server has all that is kept. */
  noteServer(life: ServerLife): void {
    if (this.life !== undefined && !this.mayLack(life)) return;
    this.life = life;
    replaceFile(path.join(this.options.folder, lifeFile), JSON.stringify(life));
  }

  /** Sends all that is kept to a server. @returns how many statements. @throws the client's error. */
  async offerTo(client: ClickHouseClient): Promise<number> {
    this.offers += 1;
    this.isLate = false;
    await this.last;
    let count = 0;
    for await (const { query, headers, settings, body } of this.files.statements()) {
      try {
        const rest = { http_headers: headers, clickhouse_settings: settings };
        const { stream } = await client.exec({ query, ...rest, ...(body.length === 0 ? {} : { values: Readable.from([body]) }) });
        for await (const chunk of stream) void chunk;
        count += 1;
      } catch (error) {
        if (!isRejection(error)) throw error;
        this.options.onFailure(`a statement that was acknowledged is refused now: ${messageOf(error)}`);
      }
    }
    return count;
  }

  /** Removes what is too old, also while nothing is written. */
  removeOld(): void {
    this.last = this.last.then(() => this.files.removeOld()).catch((error: unknown) => this.options.onFailure(messageOf(error)));
  }

  async close(): Promise<void> {
    await this.last;
    await this.files.close();
  }

  /** What cannot be kept is stored all the same. */
  private keep(
    { query, http_headers: headers = {}, clickhouse_settings: settings = {} }: ExecParams,
    body: readonly Uint8Array[],
  ): Promise<void> {
    this.last = this.last
      .then(() => this.files.append({ query, headers, settings }, body))
      .catch((error: unknown) => this.options.onFailure(messageOf(error)));
    return this.last;
  }
}

async function* collected(values: AsyncIterable<unknown>, pieces: Uint8Array[]): AsyncGenerator<Uint8Array, undefined> {
  for await (const value of values) {
    const piece = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
    pieces.push(piece);
    yield piece;
  }
}

function knownLife(file: string): ServerLife | undefined {
  const text = readFileIfPresent(file);
  return text === undefined ? undefined : (JSON.parse(text) as ServerLife);
}

/** Asks a server who it is, and since when it runs. */
export async function lifeOf(client: ClickHouseClient): Promise<ServerLife> {
  const query = 'SELECT toString(serverUUID()) AS id, toUInt32(toUnixTimestamp(now()) - uptime()) AS startedAt';
  const [life] = await (await client.query({ query, format: 'JSONEachRow' })).json<ServerLife>();
  if (life === undefined) throw new Error('The server has not said who it is.');
  return life;
}
