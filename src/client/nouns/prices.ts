import { changeSetting } from '../connection/changing.ts';
import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, pagesOf } from '../connection/pages.ts';
import type { Model, ModelRegistryAnswer, Prices as PriceList, PricesAnswer, Reprice, RepriceReport } from '../types/prices.ts';

/** Prices of the organisation's own, and the models that it reaches. */
export class Prices {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async get(options: CallOptions = {}): Promise<Answer<PricesAnswer>> {
    return answerOf(await this.connection.call('GET /v1/prices', options));
  }

  async replace(prices: PriceList, options: CallOptions = {}): Promise<Answer<PricesAnswer>> {
    return answerOf(await this.connection.call('PUT /v1/prices', { body: prices, ...options }));
  }

  /** Changes the list as it is by now, and again where somebody else changes it meanwhile. */
  async change(change: (present: PricesAnswer) => PriceList, options: CallOptions = {}): Promise<Answer<PricesAnswer>> {
    const { connection } = this;
    return changeSetting(
      {
        read: () => connection.call('GET /v1/prices', options),
        write: (body, version) => connection.call('PUT /v1/prices', { body, ...options, headers: { ...options.headers, ...version } }),
      },
      change,
    );
  }

  /** Prices some recorded requests again; `cursor` of the report goes on with the others. */
  async apply(order: Reprice, options: CallOptions = {}): Promise<Answer<RepriceReport>> {
    return answerOf(await this.connection.call('POST /v1/prices/apply', { body: order, ...options }));
  }

  /** Prices again all recorded requests that match, a part at a time; each report is of its own part. */
  async *applyAll(order: Reprice, options: CallOptions = {}): AsyncGenerator<RepriceReport, void, undefined> {
    const ask = async (cursor: string | undefined) => {
      const { data } = await this.apply({ ...order, cursor }, options);
      return { data, nextCursor: data.cursor ?? undefined };
    };
    for await (const { data } of pagesOf(ask, order.cursor)) yield data;
  }

  /** The models that the organisation reaches. */
  async models(options: CallOptions = {}): Promise<Answer<readonly Model[]>> {
    return answerOf(await this.connection.call('GET /v1/models', options));
  }

  /** All models of the price list, with their providers and prices; it needs no key. */
  async registry(options: CallOptions = {}): Promise<Answer<ModelRegistryAnswer>> {
    return answerOf(await this.connection.call('GET /v1/public/model-registry/models', options));
  }
}
