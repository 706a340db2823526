import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { basePath } from '../lib/base-path.ts';
import { part } from '../lib/part.ts';
import { isRemembered, signedInQuery } from '../lib/signed-in.ts';
import { rangeSearchOf } from '../lib/time-range.ts';
import { Loading } from '../ui/loading.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { queryClient } from './query-client.ts';
import { RootError, RouteError } from './route-error.tsx';
import { Shell } from './shell.tsx';
import { strictSearch, strictSearchOf } from './strict-search.ts';
import { overviewSearchOf } from '../features/overview/search.ts';
import { alertSearchOf, newAlertSearchOf } from '../features/alerts/search.ts';
import { exploreSearchOf } from '../features/explore/search.ts';
import { compareSearchOf } from '../features/requests/compare/search.ts';
import { requestsSearchOf } from '../features/requests/search.ts';
import { propertiesSearchOf } from '../features/properties/search.ts';
import { webhookSearchOf } from '../features/webhooks/search.ts';
import { auditSearchOf } from '../features/audit/search.ts';
import { keysSearchOf } from '../features/keys/permissions.ts';
import { limitsSearchOf } from '../features/limits/search.ts';
import { pricesSearchOf } from '../features/prices/search.ts';
import { signInSearchOf } from '../features/sign-in/search.ts';
import { usersSearchOf } from '../features/users/search.ts';
import { sessionSearchOf, sessionsSearchOf } from '../features/sessions/search.ts';

const rootRoute = createRootRouteWithContext<{ readonly queryClient: typeof queryClient }>()({
  component: Outlet,
  errorComponent: RootError,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: strictSearch(signInSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
});

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const wasSignedIn = isRemembered();
    const signedIn = await context.queryClient.query(signedInQuery);
    if (signedIn === null) {
      throw redirect({ to: '/sign-in', search: { next: location.href, ...(wasSignedIn ? { expired: true } : {}) } });
    }
  },
  component: Shell,
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: strictSearchOf(rangeSearchOf, overviewSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/overview/overview-page.tsx')),
    'OverviewPage',
  ),
});

const exploreRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/explore',
  validateSearch: strictSearchOf(rangeSearchOf, exploreSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/explore/explore-page.tsx')),
    'ExplorePage',
  ),
});

const requestsPageSearch = strictSearchOf(rangeSearchOf, requestsSearchOf);

const requestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/requests',
  validateSearch: requestsPageSearch,
  loaderDeps: ({ search: { q, sort, range, from, to } }) => ({ q, sort, range, from, to }),
  loader: async ({ context, deps, location }) => {
    const { expectRequest, expectRequests } = await part(() => import('../features/requests/expected.ts'))();
    // Not of `deps`: the list is not read again for another request in its details.
    expectRequest(context.queryClient, requestsSearchOf(location.search));
    expectRequests(context.queryClient, deps);
  },
  component: lazyRouteComponent(
    part(() => import('../features/requests/requests-page.tsx')),
    'RequestsPage',
  ),
});

/** The address that people would guess, from that of a session. */
const requestRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/requests/$requestId',
  beforeLoad: ({ params: { requestId } }) => {
    throw redirect({ to: '/requests', search: { request: requestId, range: 'all' }, replace: true });
  },
});

const compareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/requests/compare',
  validateSearch: strictSearch(compareSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/requests/compare/compare-page.tsx')),
    'ComparePage',
  ),
});

const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sessions',
  validateSearch: strictSearchOf(rangeSearchOf, sessionsSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/sessions/sessions-page.tsx')),
    'SessionsPage',
  ),
});

const sessionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sessions/$sessionId',
  validateSearch: strictSearch(sessionSearchOf),
  loader: async ({ context, params: { sessionId } }) => {
    const { expectSession } = await part(() => import('../features/sessions/session-parts.ts'))();
    expectSession(context.queryClient, sessionId);
  },
  component: lazyRouteComponent(
    part(() => import('../features/sessions/session-page.tsx')),
    'SessionPage',
  ),
});

const propertiesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/properties',
  validateSearch: strictSearchOf(rangeSearchOf, propertiesSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/properties/properties-page.tsx')),
    'PropertiesPage',
  ),
});

const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  validateSearch: strictSearchOf(rangeSearchOf, usersSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/users/users-page.tsx')),
    'UsersPage',
  ),
});

const userRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users/$userId',
  validateSearch: strictSearch(rangeSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/users/user-page.tsx')),
    'UserPage',
  ),
});

const alertsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts',
  component: lazyRouteComponent(
    part(() => import('../features/alerts/alerts-page.tsx')),
    'AlertsPage',
  ),
});

const newAlertRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts/new',
  validateSearch: strictSearch(newAlertSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/alerts/new-alert-page.tsx')),
    'NewAlertPage',
  ),
});

const alertRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts/$alertId',
  validateSearch: strictSearch(alertSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/alerts/alert-page.tsx')),
    'AlertPage',
  ),
});

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: lazyRouteComponent(
    part(() => import('../features/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
});

const newWebhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/new',
  component: lazyRouteComponent(
    part(() => import('../features/webhooks/new-webhook-page.tsx')),
    'NewWebhookPage',
  ),
});

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId',
  validateSearch: strictSearch(webhookSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/webhooks/webhook-page.tsx')),
    'WebhookPage',
  ),
});

const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  validateSearch: strictSearch(keysSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/keys/keys-page.tsx')),
    'KeysPage',
  ),
});

const providerKeysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/provider-keys',
  component: lazyRouteComponent(
    part(() => import('../features/keys/provider-keys-page.tsx')),
    'ProviderKeysPage',
  ),
});

const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  component: lazyRouteComponent(
    part(() => import('../features/people/people-page.tsx')),
    'PeoplePage',
  ),
});

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: strictSearch(auditSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/audit/audit-page.tsx')),
    'AuditPage',
  ),
});

const pricesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/prices',
  validateSearch: strictSearch(pricesSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/prices/prices-page.tsx')),
    'PricesPage',
  ),
});

const limitsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/limits',
  validateSearch: strictSearch(limitsSearchOf),
  component: lazyRouteComponent(
    part(() => import('../features/limits/limits-page.tsx')),
    'LimitsPage',
  ),
});

const dataRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/data',
  component: lazyRouteComponent(
    part(() => import('../features/data/data-page.tsx')),
    'DataPage',
  ),
});

const startRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/start',
  component: lazyRouteComponent(
    part(() => import('../features/start/start-page.tsx')),
    'StartPage',
  ),
});

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(
    part(() => import('../features/settings/settings-page.tsx')),
    'SettingsPage',
  ),
});

const healthRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/health',
  component: lazyRouteComponent(
    part(() => import('../features/health/health-page.tsx')),
    'HealthPage',
  ),
});

const boardsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/boards',
  component: lazyRouteComponent(
    part(() => import('../features/explore/boards/boards-page.tsx')),
    'BoardsPage',
  ),
});

const boardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/boards/$boardId',
  component: lazyRouteComponent(
    part(() => import('../features/explore/boards/board-page.tsx')),
    'BoardPage',
  ),
});

const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    shellRoute.addChildren([
      homeRoute,
      exploreRoute,
      requestsRoute,
      compareRoute,
      requestRoute,
      sessionsRoute,
      sessionRoute,
      propertiesRoute,
      usersRoute,
      userRoute,
      alertsRoute,
      newAlertRoute,
      alertRoute,
      webhooksRoute,
      newWebhookRoute,
      webhookRoute,
      keysRoute,
      providerKeysRoute,
      peopleRoute,
      auditRoute,
      pricesRoute,
      limitsRoute,
      dataRoute,
      boardsRoute,
      boardRoute,
      healthRoute,
      startRoute,
      settingsRoute,
      unknownRoute,
    ]),
  ]),
  basepath: basePath || '/',
  context: { queryClient },
  defaultPreload: false,
  // The part of a page is loaded when it is opened first.
  defaultErrorComponent: RouteError,
  defaultPendingComponent: Loading,
  defaultPendingMs: 150,
  // The page stands as soon as it is there: without this it would wait for half a second.
  defaultPendingMinMs: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
