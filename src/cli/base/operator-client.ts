import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { hasMetadata } from '../../metadata/metadata-file.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { refuseUnreachable } from '../../supervisor/data-folder.ts';
import { operatorSocket } from '../../config/data-paths.ts';
import { isSystemError } from '../../platform/files.ts';
import { socketPath } from '../../platform/http/unix-socket.ts';
import { type CommandContext, CommandError } from './dependencies.ts';
import { exitCodes } from './exit-codes.ts';

interface AnswerShape<Answer> {
  readonly parse: (data: unknown) => Answer;
}

export interface OperatorQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The running service of a data folder, reached through its operator socket. */
export interface OperatorClient {
  /**
   * Sends a request, and retries while a part is away. @throws CommandError with the sentence of the service, or the reason why it is
   * unreachable.
   */
  readonly ask: <Answer>(question: OperatorQuestion, shape: AnswerShape<Answer>) => Promise<Answer>;
  /** As {@link ask}, for a resource that the service keeps while the connection lasts. */
  readonly hold: <Answer>(question: OperatorQuestion, shape: AnswerShape<Answer>) => Promise<Held<Answer>>;
}

/** A response whose resource lasts as long as the connection. */
export interface Held<Answer> {
  readonly answer: Answer;
  /** Aborted when the connection ends before `release`. */
  readonly lost: AbortSignal;
  readonly release: () => void;
}

/** Tries while a part of the service is away. */
const maxTries = 5;
const retryMs = 2000;
/** Errors of a socket without a listener. */
const absentCodes: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** The client of the service in the configured data folder; sends nothing yet. */
export function operatorClient(context: CommandContext): OperatorClient {
  return {
    ask: async (question, shape) => {
      for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
        const response = await reached(context, question);
        const text = await textOf(response);
        if (response.statusCode !== 503 || triesLeft === 0) return shape.parse(dataOf(response, text));
        await wait(retryMs);
      }
    },
    hold: async (question, shape) => {
      const response = await reached(context, question);
      if (response.statusCode !== 200) dataOf(response, await textOf(response));
      const answer = shape.parse(dataOf(response, await firstLine(response)));
      const lost = new AbortController();
      const lose = (): void => lost.abort(new CommandError('The service stopped meanwhile.'));
      response.on('close', lose).resume();
      const release = (): void => {
        response.off('close', lose);
        response.destroy();
      };
      return { answer, lost: lost.signal, release };
    },
  };
}

/** Unwraps the data of a response. @throws CommandError with the sentence of a failure. */
function dataOf({ statusCode = 0 }: IncomingMessage, text: string): unknown {
  const answer = parseJson(text);
  if (!isJsonObject(answer) || (typeof answer['error'] !== 'string' && answer['error'] !== null)) {
    throw new CommandError(`What the service answered cannot be read (status ${statusCode}). Is it of the same version as this command?`);
  }
  if (statusCode !== 200) throw new CommandError(answer['error'] ?? `The service answered with the status ${statusCode}.`);
  return answer['data'];
}

/** @throws when the response ends before. */
function firstLine(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    const take = (piece: string): void => {
      text += piece;
      if (!text.includes('\n')) return;
      response.off('data', take);
      resolve(text);
    };
    response.on('data', take);
    response.once('close', () => reject(new CommandError('The service stopped in the middle of its answer.')));
  });
}

async function reached({ config }: CommandContext, question: OperatorQuestion): Promise<IncomingMessage> {
  refuseUnreachable(config.dataDir);
  try {
    const short = socketPath(operatorSocket(config.dataDir));
    try {
      return await sendTo(short.path, question);
    } finally {
      short.close();
    }
  } catch (error) {
    throw new CommandError(whyUnreached(config.dataDir, error), exitCodes.unreachable, { cause: error });
  }
}

function queryOf(parameters: NonNullable<OperatorQuestion['parameters']>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) given.append(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/** No agent: another service may own the socket's path later. */
function sendTo(socket: string, { method, path: address, parameters = {}, body }: OperatorQuestion): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const asked = request({ socketPath: socket, method, path: address + queryOf(parameters), headers, agent: false }, resolve);
    asked.on('error', reject);
    asked.end(text);
  });
}

/** A sentence for people: no data folder, no service, or the system's error. */
function whyUnreached(dataDir: string, error: unknown): string {
  const folder = path.resolve(dataDir);
  if (!hasMetadata(dataDir)) {
    return `There is no Gatelog data in ${folder}. Set GATELOG_DATA_DIR to the folder that "gatelog serve" shows as Data.`;
  }
  const code = isSystemError(error) ? (error.code ?? '') : '';
  if (code === 'EACCES') return `The service in ${folder} belongs to another user. Run this command as that user.`;
  if (absentCodes.has(code)) {
    return `No Gatelog runs in ${folder}. Start it with "gatelog serve", or set GATELOG_DATA_DIR to the folder that it shows as Data.`;
  }
  return `The service in ${folder} does not answer (${error instanceof Error ? error.message : String(error)}).`;
}
