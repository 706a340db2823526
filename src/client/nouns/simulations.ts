import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type { LimitSimulation, LimitSimulationReport, PriceSimulation, PriceSimulationReport } from '../types/simulations.ts';

/** What would have been, by the record; nothing is sent to a provider, and nothing is changed. */
export class Simulations {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** What requests would have cost with another model, at another tier, or without the provider's cache. */
  async price(simulation: PriceSimulation, options: CallOptions = {}): Promise<Answer<PriceSimulationReport>> {
    return answerOf(await this.connection.call('POST /v1/simulations/price', { body: simulation, ...options }));
  }

  /** Which requests a limit or budget would have refused. */
  async limit(simulation: LimitSimulation, options: CallOptions = {}): Promise<Answer<LimitSimulationReport>> {
    return answerOf(await this.connection.call('POST /v1/simulations/limit', { body: simulation, ...options }));
  }
}
