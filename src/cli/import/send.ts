import { setTimeout as wait } from 'node:timers/promises';
import { type ImportItem, importAnswerSchema } from '../../contract/imports.ts';
import { AwayError, type ServiceClient } from '../client.ts';

/** How long the service may be away once it has answered: a restart after a kill. */
const maxAwayMs = 300_000;
const firstRetryMs = 500;
const maxRetryMs = 10_000;

export interface SendOptions {
  readonly dryRun: boolean;
  /** Called before each wait for the service. */
  readonly onAway: (reason: string) => void;
}

/** Sends lines; what is sent again after a lost answer adds nothing. */
export class LineSender {
  private readonly client: ServiceClient;
  private readonly options: SendOptions;
  private hasAnswered = false;

  constructor(client: ServiceClient, options: SendOptions) {
    this.client = client;
    this.options = options;
  }

  /** @throws CommandError for a refusal, and when the service stays away. */
  async send(lines: readonly Buffer[]): Promise<ImportItem> {
    const body = bodyOf(lines);
    const path = this.options.dryRun ? '/v1/import?dryRun=true' : '/v1/import';
    const endsAt = performance.now() + maxAwayMs;
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        const { data } = await this.client.postLines(path, body, importAnswerSchema);
        this.hasAnswered = true;
        return data;
      } catch (error) {
        if (!(error instanceof AwayError) || !this.hasAnswered || performance.now() > endsAt) throw error;
        this.options.onAway(error.message);
        await wait(retryMs);
      }
    }
  }
}

const lineFeed = Buffer.from('\n');

function bodyOf(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, lineFeed]));
}
