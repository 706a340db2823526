// @ts-check
/**
 * A ClickHouse server as far as its HTTP interface goes, over the embedded engine in this process: `node clickhouse-front.mjs FOLDER
 * PROFILE REPLICAS`. It prints its ports on loopback, and ends with its standard input.
 *
 * Statements come as `query` of the address, as the body, or as a form; parameters, settings, database and format as the server takes
 * them; bodies may be compressed. Each request has a connection of its own, so that nothing of one reaches the next. An exception before
 * the response has its status, one in it has the block that the server writes, with the tag of the response's header.
 *
 * `POST /-/faults` sets what goes wrong from then on, as JSON: see `Faults`. `GET /-/statements` answers those since the last time.
 */
import { Session } from 'chdb';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/**
 * @typedef {object} Faults What goes wrong with statements that have `match`, a regular expression, or with all.
 * @property {string} [match]
 * @property {number} [times] So many statements, then none; absent: all from then on.
 * @property {'away' | 'cut' | 'exception' | 'late exception' | 'lost answer' | 'lost insert' | 'slow' | 'rewrite' | 'whole answer'} kind
 *   `away`: the connection ends before anything is done; `cut`: it ends in the middle of the answer; `exception`: instead of an answer;
 *   `late exception`: behind a part of the answer; `lost answer`: the statement is done, the connection ends without an answer;
 *   `lost insert`: it is acknowledged and not done; `slow`: nothing but its delay; `rewrite`: another statement is run in its place; `whole
 *   answer`: one that fails looks like one that has no rows.
 * @property {number} [code] Of an exception.
 * @property {string} [type] Of an exception, such as TOO_MANY_PARTS.
 * @property {string} [says] The words of an exception.
 * @property {number} [delayMs] Before the statement.
 * @property {string} [from] A regular expression of what is rewritten.
 * @property {string} [to] What stands there then.
 */

/** @typedef {{ readonly query: string, readonly values: Buffer | undefined, readonly params: ReadonlyMap<string, string>, readonly settings: ReadonlyMap<string, string>, readonly database: string, readonly format: string }} Statement */

const [, , folder = '', profileText = '{}', replicas = '1'] = process.argv;
/** Settings of the user's profile, which those of a statement override. */
const profile = /** @type {Readonly<Record<string, string>>} */ (JSON.parse(profileText));
const incoming = path.join(folder, 'incoming');
mkdirSync(incoming, { recursive: true });
const engine = new Session(folder);
const version = (await engine.queryAsync('SELECT version()', { format: 'TSVRaw' })).text().trim();

/** What the address has beside settings. */
const ofTheInterface = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'session_id',
  'session_timeout',
  'session_check',
  'role',
  'user',
  'password',
  'compress',
  'decompress',
  'quota_key',
  'stacktrace',
  'client_protocol_version',
]);
/** Settings of the HTTP interface, which the engine does not have. */
const ofHttp = new Set([
  'wait_end_of_query',
  'buffer_size',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'cancel_http_readonly_queries_on_client_close',
  'http_write_exception_in_output_format',
  'insert_quorum',
]);

let files = 0;

/** An address of its own over the engine that all share, as replicas are that have caught up. */
class Replica {
  /** @type {Faults[]} */
  faults = [];
  /** Statements since the last look, the oldest first. @type {string[]} */
  statements = [];

  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((/** @type {unknown} */ error) => {
        process.stderr.write(`${String(error)}\n`);
        response.destroy();
      });
    });
    this.server.keepAliveTimeout = 10_000;
  }

  /** @returns {Promise<number>} the port. */
  listen() {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => {
        const address = this.server.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async answer(request, response) {
    const address = new URL(request.url ?? '/', 'http://front');
    const body = await readBody(request);
    if (address.pathname === '/ping') {
      if (this.takeFault('ping')?.kind === 'away') response.destroy();
      else response.end('Ok.\n');
      return;
    }
    if (address.pathname === '/-/faults') {
      this.faults = /** @type {Faults[]} */ (JSON.parse(body.toString()));
      response.end();
      return;
    }
    if (address.pathname === '/-/statements') {
      response.end(JSON.stringify(this.statements));
      this.statements = [];
      return;
    }
    const statement = await statementOf(address.searchParams, request.headers['content-type'] ?? '', body);
    if (this.statements.length < 10_000) this.statements.push(statement.query);
    const fault = this.takeFault(statement.query);
    response.setHeader('X-ClickHouse-Server-Display-Name', this.name);
    await respond(request, response, { statement, search: address.searchParams, fault });
  }

  /** @param {string} query */
  takeFault(query) {
    const fault = this.faults.find(({ match }) => match === undefined || new RegExp(match, 'i').test(query));
    if (fault?.times !== undefined) {
      fault.times -= 1;
      if (fault.times <= 0) this.faults = this.faults.filter((one) => one !== fault);
    }
    return fault;
  }
}

const ports = await Promise.all(Array.from({ length: Number(replicas) }, (_none, index) => new Replica(`replica-${index}`).listen()));
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.on('end', () => process.exit(0)).resume();

/** @param {import('node:http').IncomingMessage} request */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'];
  if (encoding === 'gzip') return promisify(zlib.gunzip)(body);
  if (encoding === 'deflate') return promisify(zlib.inflate)(body);
  if (encoding === 'br') return promisify(zlib.brotliDecompress)(body);
  return body;
}

/** @param {URLSearchParams} search @param {string} contentType @param {Buffer} body @returns {Promise<Statement>} */
async function statementOf(search, contentType, body) {
  const given = new Map(search);
  /** @type {Buffer | undefined} */
  let values = body;
  const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(contentType) ?? [];
  if (boundary !== undefined) {
    for (const [, name = '', value = ''] of body.toString().matchAll(partOf(boundary))) given.set(name, value);
    values = undefined;
  }
  const query = given.get('query');
  const names = [...given].filter(([name]) => !ofTheInterface.has(name));
  return {
    query: query ?? body.toString(),
    values: query === undefined || values?.length === 0 ? undefined : values,
    params: new Map(names.filter(([name]) => name.startsWith('param_'))),
    settings: new Map(names.filter(([name]) => !name.startsWith('param_'))),
    database: given.get('database') ?? 'default',
    format: given.get('default_format') ?? 'TabSeparated',
  };
}

/** A part of a form, with its name and its value. @param {string} boundary */
function partOf(boundary) {
  const end = boundary.replaceAll(/[^\w-]/g, '\\$&');
  return new RegExp(
    `--${end}\\r\\nContent-Disposition: form-data; name="([^"]*)"\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^]*?)\\r\\n(?=--${end})`,
    'g',
  );
}

/**
 * @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response
 * @param {{ readonly statement: Statement, readonly search: URLSearchParams, readonly fault: Faults | undefined }} asked
 */
async function respond(request, response, { statement, search, fault = { kind: 'slow' } }) {
  if (fault.delayMs !== undefined) await wait(fault.delayMs);
  const tag = randomBytes(8).toString('hex');
  response.setHeader('X-ClickHouse-Query-Id', search.get('query_id') ?? randomUUID());
  response.setHeader('X-ClickHouse-Exception-Tag', tag);
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  if (fault.kind === 'away') response.destroy();
  else if (fault.kind === 'exception') refuse(response, plantedText(fault));
  else {
    const bytes = await done(response, statement, fault);
    if (bytes !== undefined) await send(response, { bytes, fault, tag, isCompressed: takesGzip(request, search) });
  }
}

/** @returns the answer, unless the statement has failed, which is answered here. @param {import('node:http').ServerResponse} response @param {Statement} statement @param {Faults} fault */
async function done(response, statement, fault) {
  try {
    return fault.kind === 'lost insert' ? Buffer.alloc(0) : await run(rewritten(statement, fault));
  } catch (error) {
    if (fault.kind === 'whole answer') response.end();
    else refuse(response, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** @param {import('node:http').IncomingMessage} request @param {URLSearchParams} search */
function takesGzip(request, search) {
  return search.get('enable_http_compression') === '1' && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ readonly bytes: Buffer, readonly fault: Faults, readonly tag: string, readonly isCompressed: boolean }} answer
 */
async function send(response, { bytes, fault, tag, isCompressed }) {
  response.setHeader('X-ClickHouse-Summary', JSON.stringify({ read_rows: '0', written_rows: '0', result_rows: '0', elapsed_ns: '0' }));
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (fault.kind === 'cut') {
    response.write(half);
    await wait(20);
  }
  if (fault.kind === 'cut' || fault.kind === 'lost answer') {
    response.destroy();
    return;
  }
  const sent = fault.kind === 'late exception' ? Buffer.concat([half, Buffer.from(exceptionBlock(plantedText(fault), tag))]) : bytes;
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
  response.end(isCompressed ? zlib.gzipSync(sent) : sent);
}

/** @param {Statement} statement @param {Faults} fault @returns {Statement} */
function rewritten(statement, fault) {
  if (fault.kind !== 'rewrite') return statement;
  return {
    ...statement,
    query: statement.query.replaceAll(new RegExp(fault.from ?? '', 'g'), (fault.to ?? '').replaceAll('{random}', randomUUID())),
  };
}

/** @param {Faults} fault */
function plantedText({ code = 999, type = 'KEEPER_EXCEPTION', says = 'This is planted.' }) {
  return `Code: ${code}. DB::Exception: ${says} (${type}) (version ${version})`;
}

/** As the server ends a response in which a statement fails. @param {string} text @param {string} tag */
function exceptionBlock(text, tag) {
  const line = `${text}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${line}${Buffer.byteLength(line)} ${tag}\r\n__exception__\r\n`;
}

/** @param {import('node:http').ServerResponse} response @param {string} text */
function refuse(response, text) {
  const code = /Code: (\d+)\./.exec(text)?.[1] ?? '0';
  response.writeHead(statusOf(Number(code)), { 'X-ClickHouse-Exception-Code': code });
  response.end(`${text}\n`);
}

/** @param {number} code */
function statusOf(code) {
  if ([62, 46, 47, 36, 27, 53, 115].includes(code)) return 400;
  if ([60, 81].includes(code)) return 404;
  if ([516, 192, 193, 194].includes(code)) return 403;
  if (code === 159) return 408;
  return 500;
}

/** @param {Statement} statement @returns {Promise<Buffer>} */
async function run({ query, values, params, settings, database, format }) {
  // All replicas have one engine.
  if (/^SYSTEM SYNC REPLICA /i.test(query)) return Buffer.alloc(0);
  const session = new Session(folder);
  files += 1;
  const file = path.join(incoming, `${files}.values`);
  try {
    const set = [...Object.entries(profile), ...[...settings].filter(([name]) => !ofHttp.has(name))];
    await session.queryAsync(`USE ${backquoted(database)}`, { format });
    // A server does not parse parameters as a statement.
    if (params.size > 0) await session.queryAsync(`SET max_query_size = 1000000000; SET ${assigned([...params])}`, { format });
    await session.queryAsync(`SET ${assigned([['max_query_size', '262144'], ...set])}`, { format });
    if (values !== undefined) await writeFile(file, values);
    const result = await session.queryAsync(values === undefined ? query : fromFile(query, file), { format });
    return Buffer.from(result.bytes());
  } finally {
    session.close();
    await rm(file, { force: true });
  }
}

/** The engine takes rows of a binary format from a file alone. @param {string} query @param {string} file */
function fromFile(query, file) {
  const [, into = query, settings = '', format = ''] = /^(INSERT INTO .*?\))\s*(SETTINGS .*?)?\s*FORMAT (\w+)\s*$/is.exec(query) ?? [];
  if (format === '') {
    throw new Error(`Code: 62. DB::Exception: The front reads no values of this statement. (SYNTAX_ERROR) ${query.slice(0, 200)}`);
  }
  return `${into} FROM INFILE '${escaped(file)}' COMPRESSION 'none' ${settings} FORMAT ${format}`;
}

/** @param {readonly (readonly [string, string])[]} pairs */
function assigned(pairs) {
  return pairs.map(([name, value]) => `${named(name)} = '${escaped(value)}'`).join(', ');
}

/** @param {string} name */
function named(name) {
  if (!/^\w+$/.test(name)) throw new Error(`Code: 115. DB::Exception: Unknown setting ${name}. (UNKNOWN_SETTING)`);
  return name;
}

/** @param {string} value */
function escaped(value) {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0');
}

/** @param {string} name */
function backquoted(name) {
  return `\`${name.replaceAll('`', '\\`')}\``;
}
