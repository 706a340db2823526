import type { Endpoint } from './endpoint/endpoint.ts';
import { alerts } from './endpoints/alerts.ts';
import { apiKeys } from './endpoints/api-keys.ts';
import { audit } from './endpoints/audit.ts';
import { boards } from './endpoints/boards.ts';
import { bulkProperties } from './endpoints/bulk-properties.ts';
import { evals } from './endpoints/evals.ts';
import { exports } from './endpoints/exports.ts';
import { health } from './endpoints/health.ts';
import { imports } from './endpoints/imports.ts';
import { invitations } from './endpoints/invitations.ts';
import { jobs } from './endpoints/jobs.ts';
import { logAliases, logs } from './endpoints/logs.ts';
import { metrics, metricsByName } from './endpoints/metrics.ts';
import { models } from './endpoints/models.ts';
import { people } from './endpoints/people.ts';
import { prices } from './endpoints/prices.ts';
import { properties, propertyDeclaration } from './endpoints/properties.ts';
import { providerKeys } from './endpoints/provider-keys.ts';
import { rateLimits } from './endpoints/rate-limits.ts';
import { redactionRules } from './endpoints/redaction-rules.ts';
import { requestChanges, requestProperties } from './endpoints/request-changes.ts';
import { requestStream } from './endpoints/request-stream.ts';
import { request, requestParts } from './endpoints/request.ts';
import { requests } from './endpoints/requests.ts';
import { retention } from './endpoints/retention.ts';
import { rules } from './endpoints/rules.ts';
import { session } from './endpoints/session.ts';
import { sessions } from './endpoints/sessions.ts';
import { simulations } from './endpoints/simulations.ts';
import { spans } from './endpoints/spans.ts';
import { users } from './endpoints/users.ts';
import { views } from './endpoints/views.ts';
import { webhooks } from './endpoints/webhooks.ts';

/** Every endpoint that needs a key. */
export const endpoints: readonly Endpoint[] = [
  ...requests,
  ...bulkProperties,
  ...requestStream,
  ...request,
  ...requestProperties,
  ...jobs,
  ...requestChanges,
  ...requestParts,
  ...evals,
  ...imports,
  ...logs,
  ...spans,
  ...exports,
  ...models,
  ...properties,
  ...metricsByName,
  propertyDeclaration,
  ...rateLimits,
  ...redactionRules,
  ...apiKeys,
  ...people,
  ...invitations,
  ...audit,
  ...providerKeys,
  ...prices,
  ...simulations,
  ...retention,
  ...metrics,
  ...sessions,
  ...session,
  ...users,
  ...webhooks,
  ...alerts,
  ...rules,
  ...views,
  ...boards,
  ...health,
];

/** Further paths of endpoints, which clients make of an address that they are given; not in the OpenAPI document. */
export const aliases: ReadonlyMap<string, Endpoint> = logAliases;
