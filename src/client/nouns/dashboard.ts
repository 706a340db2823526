import type { Answer, CallInput, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type { Board, BoardSummary, ChangedBoard, NewBoard, NewView, ServiceHealth, View } from '../types/dashboard.ts';

type ViewListOptions = NonNullable<CallInput<'GET /v1/views'>['query']> & CallOptions;

/** States of the dashboard's pages, under names. */
export class Views {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** By page and name; with `page` those of one page. */
  async list({ page, ...options }: ViewListOptions = {}): Promise<Answer<readonly View[]>> {
    return answerOf(await this.connection.call('GET /v1/views', { query: { page }, ...options }));
  }

  async add(view: NewView, options: CallOptions = {}): Promise<Answer<View>> {
    return answerOf(await this.connection.call('POST /v1/views', { body: view, ...options }));
  }

  /** The whole view. */
  async replace(id: string, view: NewView, options: CallOptions = {}): Promise<Answer<View>> {
    return answerOf(await this.connection.call('PUT /v1/views/{id}', { path: { id }, body: view, ...options }));
  }

  async delete(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/views/{id}', { path: { id }, ...options }));
  }
}

/** Boards of charts. */
export class Boards {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** By name, without their panels. */
  async list(options: CallOptions = {}): Promise<Answer<readonly BoardSummary[]>> {
    return answerOf(await this.connection.call('GET /v1/boards', options));
  }

  async get(id: string, options: CallOptions = {}): Promise<Answer<Board>> {
    return answerOf(await this.connection.call('GET /v1/boards/{id}', { path: { id }, ...options }));
  }

  async add(board: NewBoard, options: CallOptions = {}): Promise<Answer<Board>> {
    return answerOf(await this.connection.call('POST /v1/boards', { body: board, ...options }));
  }

  /** The whole board, with the version that was read. @throws ApiError `changed_meanwhile` once somebody else has changed it. */
  async replace(id: string, board: ChangedBoard, options: CallOptions = {}): Promise<Answer<Board>> {
    return answerOf(await this.connection.call('PUT /v1/boards/{id}', { path: { id }, body: board, ...options }));
  }

  async delete(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/boards/{id}', { path: { id }, ...options }));
  }
}

/** How the service as a whole is, in figures. */
export class ServiceState {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** It answers also while parts fail. */
  async get(options: CallOptions = {}): Promise<Answer<ServiceHealth>> {
    return answerOf(await this.connection.call('GET /v1/health', options));
  }
}
