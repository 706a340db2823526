import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, type Ref, Suspense, useEffect } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import type { RequestItem } from '../../../src/client/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { useNarrow } from '../../lib/use-narrow.ts';
import { Button } from '../../ui/button.tsx';
import { FailureView } from '../../ui/conversation/failure-view.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { MenuButton } from '../../ui/overlay/menu-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { CopyMenu, Outcome, useCopies } from './detail/copy-menu.tsx';
import { Properties } from './detail/properties.tsx';
import { Ratings } from './detail/ratings.tsx';
import { beforeQuery, type OpenRequest, useOpenRequest } from './detail/request-query.ts';
import { ShortSummary, Summary } from './detail/summary.tsx';
import { keepRequest, useKeptRequest } from './kept-request.ts';
import { expectEditor, loadRawTab } from './raw/load-editor.ts';
import styles from './request-detail.module.css';
import { standardTab, type TabKey } from './search.ts';

const loadConversation = () => import('../../ui/conversation/conversation.tsx');
const Conversation = lazyPart(async () => (await loadConversation()).Conversation);
const RawTab = lazyPart(async () => (await loadRawTab()).RawTab);
const DetailsTab = lazyPart(async () => (await import('./detail/details-tab.tsx')).DetailsTab);
const CostTab = lazyPart(async () => (await import('./detail/cost-tab.tsx')).CostTab);
const ChangesTab = lazyPart(async () => (await import('./detail/changes-tab.tsx')).ChangesTab);

const route = getRouteApi('/shell/requests');

/** Another tab is no step back, and leaves the page where it is scrolled to. */
const inPlace = { replace: true, state: true, resetScroll: false } as const;

export interface RequestDetailProps {
  readonly id: string;
  readonly onClose: () => void;
  /** The list is of requests that match, and this one does not. */
  readonly isUnlisted: boolean;
  /** Of the title, which takes the focus. */
  readonly ref: Ref<HTMLHeadingElement>;
}

/** One request beside the list. Escape closes it, unless a part of it has used the key. */
export function RequestDetail({ id, onClose, isUnlisted, ref }: RequestDetailProps): ReactNode {
  const { tab } = route.useSearch();
  const opened = useOpenRequest(id, tab === 'raw');
  const { request, beginning, error } = opened;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (event.key === 'Escape' && isInside && !event.defaultPrevented) onClose();
  };
  useEffect(() => {
    if (tab === 'raw') expectEditor();
  }, [tab]);
  const isNarrow = useNarrow();
  return (
    <aside className={styles['detail']} aria-label="Request">
      <div role="presentation" className={styles['keys']} onKeyDown={onKeyDown}>
        <header className={styles['head']}>
          {isNarrow && (
            <Button kind="quiet" onPress={onClose} aria-label="Back to Requests">
              <Icon name="back" />
            </Button>
          )}
          <h2 ref={ref} tabIndex={-1} className="clip" dir="auto" title={request?.model}>
            {request?.model ?? 'Request'}
          </h2>
          {request !== undefined && beginning === undefined && (isNarrow ? <NarrowWays request={request} /> : <Ways request={request} />)}
          {!isNarrow && (
            <Button kind="quiet" onPress={onClose} aria-label="Close the request">
              ✕
            </Button>
          )}
        </header>
        {error !== null ? (
          <PageError error={error} what="Request" />
        ) : request === undefined ? (
          <Loading what="Loading the request" />
        ) : (
          <Content {...{ request, beginning, isUnlisted }} onDrawn={opened.onDrawn} />
        )}
      </div>
    </aside>
  );
}

/** Another request waits to be compared, or this one does; else it is compared with the one before it in its session, where there is one. */
function useKept(request: RequestItem) {
  const { request_id: id, session_id: session } = request;
  const kept = useKeptRequest();
  // The conversation asks for it; until then a session is taken to have one.
  const { data: before } = useQuery({ ...beforeQuery(request), enabled: false });
  const isOtherKept = kept !== undefined && kept !== id;
  const hasBefore = session !== null && session !== '' && before !== null;
  return {
    isKept: kept === id,
    keep: () => keepRequest(kept === id ? undefined : id),
    compared: isOtherKept ? { left: kept, right: id } : hasBefore ? { right: id } : undefined,
    compareTitle: isOtherKept ? 'Compare with the pinned one' : 'Compare with the previous one',
  };
}

/** What else can be done with a request. */
function Ways({ request }: { readonly request: RequestItem }): ReactNode {
  const { isKept, keep, compared, compareTitle } = useKept(request);
  return (
    <div className={styles['ways']}>
      <CopyMenu request={request} />
      <Button kind="quiet" onPress={keep} aria-pressed={isKept}>
        {isKept ? '✓ Pinned to compare' : 'Pin to compare'}
      </Button>
      {compared !== undefined && (
        <LinkButton to="/requests/compare" search={compared}>
          {compareTitle}
        </LinkButton>
      )}
    </div>
  );
}

/** The same in one menu. */
function NarrowWays({ request }: { readonly request: RequestItem }): ReactNode {
  const { isKept, keep, compared, compareTitle } = useKept(request);
  const { outcome, items } = useCopies(request);
  const navigate = useNavigate();
  return (
    <>
      <Outcome text={outcome} />
      <MenuButton
        label="More"
        kind="quiet"
        items={[
          ...items,
          { id: 'keep', title: isKept ? 'Do not keep to compare' : 'Pin to compare', onPick: keep },
          ...(compared === undefined
            ? []
            : [{ id: 'compare', title: compareTitle, onPick: () => void navigate({ to: '/requests/compare', search: compared }) }]),
        ]}
      />
    </>
  );
}

/** A tab whose code is loaded once it is shown. */
function later(tab: ReactNode): ReactNode {
  return <Suspense fallback={<Loading />}>{tab}</Suspense>;
}

type ContentProps = Pick<OpenRequest, 'beginning' | 'onDrawn'> & Pick<RequestDetailProps, 'isUnlisted'> & { readonly request: RequestItem };

/** Who reads on a phone comes for what was said: all else stands behind the tab of the details. */
function Content({ request, beginning, isUnlisted, onDrawn }: ContentProps): ReactNode {
  const { tab = standardTab } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useNarrow();
  const select = (next: TabKey): void => {
    if (next === 'raw') expectEditor();
    void navigate({ search: (search) => ({ ...search, tab: next === standardTab ? undefined : next }), ...inPlace });
  };
  return (
    <div className={styles['content']}>
      {isUnlisted && <Notice>This request is not in the list: it does not match the search and the time.</Notice>}
      <FailureView request={request} answered={[]} />
      {isNarrow ? <ShortSummary request={request} /> : <About request={request} />}
      <Tabs
        label="Views of the request"
        selected={tab}
        onSelect={select}
        tabs={[
          {
            id: 'conversation',
            title: 'Conversation',
            content: () => <ConversationTab request={request} onRaw={() => select('raw')} />,
          },
          { id: 'raw', title: 'Raw', content: () => later(<RawTab {...{ request, beginning, onDrawn }} />) },
          {
            id: 'details',
            title: 'Details',
            content: () => (
              <div className={styles['parts']}>
                {isNarrow && <About request={request} />}
                {later(<DetailsTab request={request} />)}
              </div>
            ),
          },
          { id: 'cost', title: 'Cost', content: () => later(<CostTab request={request} />) },
          { id: 'changes', title: 'Changes', content: () => later(<ChangesTab id={request.request_id} />) },
        ]}
      />
    </div>
  );
}

/** Its facts, properties and ratings. */
function About({ request }: { readonly request: RequestItem }): ReactNode {
  const mayWrite = useMay('write');
  return (
    <>
      <div className={styles['summary']}>
        <Summary request={request} />
      </div>
      <Properties id={request.request_id} properties={request.properties} mayWrite={mayWrite} />
      <Ratings request={request} mayWrite={mayWrite} />
    </>
  );
}

interface ConversationTabProps {
  readonly request: RequestItem;
  readonly onRaw: () => void;
}

/** The conversation waits for the request before it, so that it need not jump; without it, it is shown all the same. */
function ConversationTab({ request, onRaw }: ConversationTabProps): ReactNode {
  const { data, isPending } = useQuery(beforeQuery(request));
  // Its code comes while the request before is read. Who shows it hears of a failure.
  useEffect(() => void loadConversation().catch(() => undefined), []);
  if (isPending) return <Loading what="Loading the conversation" />;
  return later(<Conversation request={request} before={data ?? null} raw={<Button onPress={onRaw}>View raw</Button>} isFailureTold />);
}
