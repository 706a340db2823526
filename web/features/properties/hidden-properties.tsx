import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gatelog } from '../../lib/client.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import styles from './properties-page.module.css';

/** The names that lists leave out, asked for when somebody wants to see them. */
export function HiddenProperties({ mayShow }: { readonly mayShow: boolean }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onPress={() => setIsOpen(true)}>
        Hidden properties
      </Button>
      <Dialog title="Hidden properties" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Names mayShow={mayShow} />
      </Dialog>
    </>
  );
}

function Names({ mayShow }: { readonly mayShow: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['properties', 'hidden'],
    queryFn: async ({ signal }) => (await gatelog.properties.listHidden({ signal })).data,
  });
  const restore = useMutation({
    mutationFn: (name: string) => gatelog.properties.restore(name),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['properties'] }),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <p className="muted">None is hidden.</p>;
  return (
    <>
      <ul>
        {data.map(({ property }) => (
          <li key={property} className={styles['hidden']}>
            <span className="clip" dir="auto" title={property}>
              {property}
            </span>
            {mayShow && (
              <Button onPress={() => restore.mutate(property)} aria-label={`Show ${property} again`}>
                Show again
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ErrorNotice error={restore.error} />
    </>
  );
}
