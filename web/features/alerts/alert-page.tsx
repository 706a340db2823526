import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import type { Alert } from '../../../src/client/client.ts';
import { filterText, searchOfFilter } from '../../lib/filter-text.ts';
import { formatTime } from '../../lib/format.ts';
import { dimensionTitle } from '../../lib/metrics/dimensions.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Page } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { ActionNotices, AlertActions, useAlertActions } from './alert-actions.tsx';
import { Groups, History, Incidents, Messages } from './alert-tables.tsx';
import { AddChannel } from './add-channel.tsx';
import { AlertChart } from './alert-chart.tsx';
import { alertQuery, statesQuery } from './alerts-query.ts';
import { isMuted, ruleText } from './measure-text.ts';
import { wholeText } from './whole-text.ts';
import { dimensionsOf } from './rule/rule-draft.ts';
import { StateBadge, stateOf } from './state-badge.tsx';

// The form brings the search with all that completes it.
const RuleTab = lazyPart(async () => (await import('./rule-tab.tsx')).RuleTab);

const route = getRouteApi('/shell/alerts/$alertId');

/** One rule: the state of its groups, its incidents, its history, and the rule itself. */
export function AlertPage(): ReactNode {
  const { alertId } = route.useParams();
  const { tab = 'groups' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: alert, error } = useQuery(alertQuery(alertId));
  const mayChange = useMay('admin');
  const actions = useAlertActions(alertId);
  if (error !== null) return <PageError error={error} page={{ what: 'Alert', back: { to: '/alerts', title: 'All alerts' } }} />;
  if (alert === undefined) return <Loading what="Loading the rule" />;
  return (
    <Page title={alert.name} about={<About alert={alert} />} actions={mayChange && <AlertActions alert={alert} actions={actions} />}>
      <ActionNotices actions={actions} />
      <Problems alert={alert} mayChange={mayChange} />
      {tab !== 'rule' && <AlertChart alert={alert} />}
      <Tabs
        label="Parts of the rule"
        selected={tab}
        onSelect={(selected) => void navigate({ search: { tab: selected } })}
        tabs={[
          { id: 'groups', title: 'Groups', content: () => <Groups alert={alert} /> },
          { id: 'incidents', title: 'Incidents', content: () => <Incidents alert={alert} /> },
          { id: 'history', title: 'History', content: () => <History alert={alert} /> },
          { id: 'messages', title: 'Messages', content: () => <Messages alert={alert} /> },
          {
            id: 'rule',
            title: 'Rule',
            content: () => (
              <Suspense fallback={<Loading />}>
                <RuleTab key={alert.id} alert={alert} mayChange={mayChange} />
              </Suspense>
            ),
          },
        ]}
      />
    </Page>
  );
}

/** The rule as a sentence, unless that is its name, behind its state. */
function About({ alert }: { readonly alert: Alert }): ReactNode {
  // The groups may have been asked for after the rule; nothing is asked for here.
  const { data: groups } = useQuery({ ...statesQuery(alert.id), enabled: false });
  return (
    <>
      <StateBadge state={stateOf(alert, groups)} /> {alert.name !== wholeText(alert) && <Sentence alert={alert} />}
    </>
  );
}

function Sentence({ alert }: { readonly alert: Alert }): ReactNode {
  const dimensions = dimensionsOf(alert.grouping, alert.grouping_is_property === true);
  return (
    <>
      {ruleText(alert)}
      {dimensions.length > 0 && (
        <>
          , for each <bdi>{dimensions.map(dimensionTitle).join(' and ')}</bdi>
        </>
      )}
      {searchOfFilter(alert.filter) !== '' && (
        <>
          , where <bdi>{filterText(alert.filter)}</bdi>
        </>
      )}
    </>
  );
}

function Problems({ alert, mayChange }: { readonly alert: Alert; readonly mayChange: boolean }): ReactNode {
  const { status, mute_until: until, channels, offered } = alert;
  const unreadable = channels.filter(({ readable }) => !readable);
  return (
    <>
      {status.error !== null && <Notice kind="danger">The last evaluation failed: {status.error}</Notice>}
      {status.cut && <Notice kind="warning">There are more than 10,000 groups: those farthest from the threshold are not watched.</Notice>}
      {until !== null && isMuted(alert) && (
        <Notice>Muted until {formatTime(until, timeZone())}: the rule goes on measuring, and nobody is notified.</Notice>
      )}
      {channels.length === 0 && (
        <Notice kind={offered ? 'info' : 'warning'}>
          {offered
            ? 'Gatelog suggests this rule. It is off until it has a channel.'
            : 'Nobody is notified when this rule fires: it has no channel.'}{' '}
          {mayChange && <AddChannel alert={alert} />}
        </Notice>
      )}
      {unreadable.length > 0 && (
        <Notice kind="danger">A channel was saved under another secret of the deployment and cannot be used. Add it again.</Notice>
      )}
    </>
  );
}
