import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { RateLimit } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { withoutPrice } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { UnpricedText } from '../../ui/unpriced-text.tsx';
import { EditLimit } from './edit-limit.tsx';
import { Bar, Segments } from './fullness.tsx';
import { alertBefore } from './limit-alert.ts';
import { amountText, limitsQuery, type LimitUse, limitUsageQuery } from './limits-query.ts';
import { NewLimit } from './new-limit.tsx';
import { limitText, parsePolicy, segmentText } from './policy.ts';

const route = getRouteApi('/shell/limits');

const shownUnpriced = 3;

/** What the gateway refuses: too many calls, or calls that cost too much; and how much of it is used. */
export function LimitsPage(): ReactNode {
  const mayChange = useMay('admin');
  const isAdding = route.useSearch().add === true;
  const navigate = route.useNavigate();
  const setIsAdding = (add: boolean): void => void navigate({ search: add ? { add } : {}, replace: !add });
  const [shown, setShown] = useState<LimitUse>();
  const { data, error } = useQuery(limitsQuery);
  const usage = useQuery(limitUsageQuery);
  if (error !== null) return <PageError error={error} page={{ what: 'Limits', back: { to: '/', title: 'Overview' } }} />;
  return (
    <Page
      title="Limits and budgets"
      about="The gateway refuses calls beyond them, with the status 429"
      actions={mayChange && <Button onPress={() => setIsAdding(true)}>Add a limit</Button>}
    >
      {!mayChange && <Notice>You may read limits. Changing them requires the admin permission.</Notice>}
      <ErrorNotice error={usage.error} />
      {data === undefined ? (
        <Loading what="Loading limits" />
      ) : data.length === 0 ? (
        <Empty title="No limit yet">
          <p className="muted">
            A limit allows a number of requests, or of dollars, in a time: for all calls together, for each user, or for each value of a
            property, or for one of them.
          </p>
        </Empty>
      ) : (
        <>
          {usage.data !== undefined && <UnpricedOf usage={usage.data} />}
          <Limits limits={data} usage={usage.data} mayChange={mayChange} onShow={setShown} />
        </>
      )}
      {mayChange && isAdding && <NewLimit onClose={() => setIsAdding(false)} />}
      {shown !== undefined && <Segments use={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

/** Budgets of which nobody knows how full they are. */
function UnpricedOf({ usage }: { readonly usage: readonly LimitUse[] }): ReactNode {
  const low = usage.flatMap((use) => (use.unpriced === null || use.unpriced.requests === 0 ? [] : { use, unpriced: use.unpriced }));
  return low.slice(0, shownUnpriced).map(({ use, unpriced }) => (
    <Notice key={idOf(use)} kind="warning">
      {shownLimit(use.policy)}: <UnpricedText {...unpriced} />
    </Notice>
  ));
}

interface LimitsProps {
  readonly limits: readonly RateLimit[];
  readonly usage: readonly LimitUse[] | undefined;
  readonly mayChange: boolean;
  readonly onShow: (use: LimitUse) => void;
}

function Limits({ limits, usage, mayChange, onShow }: LimitsProps): ReactNode {
  const queryClient = useQueryClient();
  /** @param by what a limit is replaced by. */
  const change = async (limit: RateLimit, by: readonly RateLimit[]): Promise<void> => {
    await gatelog.limits.change((present) => present.flatMap((one) => (idOf(one) === idOf(limit) ? by : one)));
    await queryClient.invalidateQueries({ queryKey: ['limits'] });
  };
  const [edited, setEdited] = useState<RateLimit>();
  const useOf = (limit: RateLimit): LimitUse | undefined => usage?.find((use) => idOf(use) === idOf(limit));
  const columns: readonly DataColumn<RateLimit>[] = [
    { id: 'limit', title: 'Limit', textOf: ({ policy }) => shownLimit(policy), cell: ({ policy }) => shownLimit(policy) },
    { id: 'used', title: 'Used', cell: (limit) => <Used use={useOf(limit)} /> },
    { id: 'fullest', title: 'Amount', textOf: (limit) => fullestText(useOf(limit)), cell: (limit) => fullestText(useOf(limit)) },
    { id: 'for', title: 'Applies to', textOf: scopeText, cell: scopeText },
    { id: 'by', title: 'Source', textOf: sourceText, cell: (limit) => <Source limit={limit} /> },
    {
      id: 'actions',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: (limit: RateLimit) => (
        <>
          <Ways use={useOf(limit)} {...{ limit, mayChange, onShow }} />
          {mayChange && limit.alert_id === undefined && parsePolicy(limit.policy) !== undefined && (
            <Button
              kind="quiet"
              onPress={() => setEdited(limit)}
              aria-label={`Edit the limit ${shownLimit(limit.policy)}, ${scopeText(limit)}`}
            >
              Edit
            </Button>
          )}
          {mayChange && limit.alert_id === undefined && (
            <ConfirmButton
              title={`Delete the limit ${shownLimit(limit.policy)}, ${scopeText(limit)}`}
              kind="quiet"
              consequence="The gateway stops refusing calls because of it, within five seconds."
              onConfirm={() => change(limit, [])}
            >
              Delete
            </ConfirmButton>
          )}
        </>
      ),
    },
  ];
  const policy = edited === undefined ? undefined : parsePolicy(edited.policy);
  return (
    <>
      <DataTable label="Limits" columns={columns} rows={limits} keyOf={idOf} />
      {edited !== undefined && policy !== undefined && (
        <EditLimit
          policy={policy}
          scope={scopeText(edited)}
          onSave={(text) => change(edited, [{ ...edited, policy: text }])}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

function idOf({ policy, value, key_id: key, alert_id: alert }: RateLimit | LimitUse): string {
  return JSON.stringify([policy, value, key, alert]);
}

/** How full the fullest segment is. */
function Used({ use }: { readonly use: LimitUse | undefined }): ReactNode {
  return use === undefined ? '…' : <Bar share={use.fullest[0]?.share ?? 0} />;
}

function fullestText(use: LimitUse | undefined): string {
  const first = use?.fullest[0];
  if (use === undefined) return '';
  if (first === undefined) return use.unpriced === null || use.unpriced.requests === 0 ? '' : withoutPrice;
  const amounts = `${use.unpriced !== null && use.unpriced.requests > 0 ? '≥ ' : ''}${amountText(use, first.used)} of ${amountText(use, use.quota)}`;
  return first.value === null ? amounts : `${first.value}: ${amounts}`;
}

/** What a row leads to. */
function Ways({ limit, mayChange, ...all }: ShowAllProps & Pick<LimitsProps, 'mayChange'> & { readonly limit: RateLimit }): ReactNode {
  return (
    <>
      <ShowAll {...all} />
      {mayChange && <AlertLink limit={limit} />}
    </>
  );
}

interface ShowAllProps {
  readonly use: LimitUse | undefined;
  readonly onShow: (use: LimitUse) => void;
}

/** The way to the other segments, where there are any. */
function ShowAll({ use, onShow }: ShowAllProps): ReactNode {
  if (use === undefined || use.fullest.length < 2) return null;
  return (
    <Button kind="quiet" onPress={() => onShow(use)} aria-label={`Show all of ${shownLimit(use.policy)}`}>
      Show all
    </Button>
  );
}

/** The way to an alert on the same requests; absent where a rule made the limit, or where it holds for a key, by which no rule searches. */
function AlertLink({ limit }: { readonly limit: RateLimit }): ReactNode {
  const policy = parsePolicy(limit.policy);
  if (policy === undefined || limit.alert_id !== undefined || (limit.key_id ?? null) !== null) return null;
  return (
    <LinkButton
      kind="quiet"
      to="/alerts/new"
      search={alertBefore(policy, limit.value)}
      aria-label={`Alert before the limit ${limitText(policy)}, ${scopeText(limit)}`}
    >
      Alert
    </LinkButton>
  );
}

function shownLimit(text: string): string {
  const policy = parsePolicy(text);
  return policy === undefined ? text : limitText(policy);
}

function scopeText({ policy: text, value, key_id: key }: RateLimit): string {
  const policy = parsePolicy(text);
  const segment = policy === undefined ? '' : segmentText(policy, value);
  return key === null || key === undefined ? segment : `${segment}, of one key`;
}

function sourceText({ alert_id: alertId, alert_name: name }: RateLimit): string {
  return alertId === undefined ? 'added here' : `Alert ${name ?? 'rule'}`;
}

function Source({ limit: { alert_id: alertId, alert_name: name } }: { readonly limit: RateLimit }): ReactNode {
  if (alertId === undefined) return 'added here';
  return (
    <>
      Alert{' '}
      <Link to="/alerts/$alertId" params={{ alertId }}>
        {name ?? 'rule'}
      </Link>
    </>
  );
}
