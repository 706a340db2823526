import type { Endpoint } from './endpoint.ts';
import { addEval } from './routes/evals/add.ts';
import { listModels } from './routes/models/list.ts';
import { declareProperty } from './routes/property/declare.ts';
import { applyPrices } from './routes/prices/apply.ts';
import { getPrices } from './routes/prices/get.ts';
import { replacePrices } from './routes/prices/replace.ts';
import { addProviderKey } from './routes/provider-keys/add.ts';
import { deleteProviderKey } from './routes/provider-keys/delete.ts';
import { listProviderKeys } from './routes/provider-keys/list.ts';
import { getRateLimits } from './routes/rate-limits/get.ts';
import { replaceRateLimits } from './routes/rate-limits/replace.ts';
import { getRedactionRules } from './routes/redaction-rules/get.ts';
import { replaceRedactionRules } from './routes/redaction-rules/replace.ts';
import { getRequestAsset } from './routes/request/asset.ts';
import { explainRequestCost } from './routes/request/cost.ts';
import { countRequests } from './routes/request/count.ts';
import { getRequest } from './routes/request/get.ts';
import { giveRequestFeedback } from './routes/request/give-feedback.ts';
import { listRequestChanges } from './routes/request/list-changes.ts';
import { legacyQueryRequests } from './routes/request/legacy-query.ts';
import { queryRequestsById } from './routes/request/query-ids.ts';
import { queryRequests } from './routes/request/query.ts';
import { setRequestScores } from './routes/request/set-scores.ts';
import { countSessions } from './routes/session/count.ts';
import { querySessionMetrics } from './routes/session/metrics-query.ts';
import { querySessionNames } from './routes/session/name-query.ts';
import { querySessions } from './routes/session/query.ts';
import { updateRequestProperty } from './routes/request/update-property.ts';
import { getSession } from './routes/session/get.ts';
import { giveSessionFeedback } from './routes/session/give-feedback.ts';
import { getSessionTag, setSessionTag } from './routes/session/tag.ts';
import { getRetention } from './routes/retention/get.ts';
import { setRetention } from './routes/retention/set.ts';
import { eraseUser } from './routes/user/erase.ts';
import { updateSessionProperty } from './routes/session/update-property.ts';

/** Every endpoint of the API that needs a key. */
export const endpoints: readonly Endpoint[] = [
  queryRequests,
  legacyQueryRequests,
  countRequests,
  queryRequestsById,
  getRequest,
  updateRequestProperty,
  setRequestScores,
  giveRequestFeedback,
  listRequestChanges,
  explainRequestCost,
  getRequestAsset,
  addEval,
  listModels,
  declareProperty,
  getRateLimits,
  replaceRateLimits,
  getRedactionRules,
  replaceRedactionRules,
  addProviderKey,
  listProviderKeys,
  deleteProviderKey,
  getPrices,
  replacePrices,
  applyPrices,
  getRetention,
  setRetention,
  querySessions,
  countSessions,
  querySessionNames,
  querySessionMetrics,
  getSession,
  setSessionTag,
  getSessionTag,
  giveSessionFeedback,
  updateSessionProperty,
  eraseUser,
];
