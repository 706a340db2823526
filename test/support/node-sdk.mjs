/** What the guide's programs use of `@opentelemetry/sdk-node`, which is too large for the tests. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

export class NodeSDK {
  /** @param {import('@opentelemetry/sdk-trace-base').TracerConfig} options */
  constructor(options) {
    this.provider = new BasicTracerProvider(options);
  }

  start() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(this.provider);
  }

  async shutdown() {
    await this.provider.shutdown();
  }
}
