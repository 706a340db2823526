import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants as zlib, gzip } from 'node:zlib';
import type { GatelogClient, ImportAnswer } from '../../client/client.ts';
import { isAway, sentenceOf } from '../base/failure.ts';

/** How long the service may be away once it has answered: a restart after a kill. */
const maxAwayMs = 300_000;
const firstRetryMs = 500;
const maxRetryMs = 10_000;

export interface SendOptions {
  readonly dryRun: boolean;
  /** Lines are compressed on their way: the service is on another machine. */
  readonly isCompressed: boolean;
  /** Called before each wait for the service. */
  readonly onAway: (reason: string) => void;
}

/** Sends lines; what is sent again after a lost answer adds nothing. */
export class LineSender {
  private readonly client: GatelogClient;
  private readonly options: SendOptions;
  private hasAnswered = false;

  constructor(client: GatelogClient, options: SendOptions) {
    this.client = client;
    this.options = options;
  }

  /** @throws ApiError for a refusal, and when the service stays away. */
  async send(lines: readonly Buffer[]): Promise<ImportAnswer> {
    const { dryRun, isCompressed } = this.options;
    const plain = bodyOf(lines);
    const body = isCompressed ? await promisify(gzip)(plain, { level: zlib.Z_BEST_SPEED }) : plain;
    const endsAt = performance.now() + maxAwayMs;
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        const { data } = await this.client.imports.send(body, { dryRun, ...(isCompressed ? { compression: 'gzip' } : {}) });
        this.hasAnswered = true;
        return data;
      } catch (error) {
        if (!isAway(error) || !this.hasAnswered || performance.now() > endsAt) throw error;
        this.options.onAway(sentenceOf(error));
        await wait(retryMs);
      }
    }
  }
}

const lineFeed = Buffer.from('\n');

function bodyOf(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, lineFeed]));
}
