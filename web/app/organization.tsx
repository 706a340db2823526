import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { basePath } from '../lib/base-path.ts';
import { gatelog } from '../lib/client.ts';
import { setSignedIn, useSignedIn } from '../lib/signed-in.ts';
import { ErrorNotice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';

/** The organisation whose records the pages show; a person of several may go to another one. */
export function Organization(): ReactNode {
  const { organization_id: id, organization_name: name, organizations } = useSignedIn();
  const queryClient = useQueryClient();
  const [error, setError] = useState<unknown>();
  if (organizations.length < 2) {
    return (
      <p className="clip" title={name}>
        {name}
      </p>
    );
  }
  const choose = async (chosen: string): Promise<void> => {
    try {
      setSignedIn(queryClient, (await gatelog.signIn.choose(chosen)).data);
      // Nothing that a page holds of the one before is shown beside the other.
      location.assign(`${basePath}/`);
    } catch (failure) {
      setError(failure);
    }
  };
  const options = organizations.map((one) => ({ value: one.id, label: one.name }));
  return (
    <>
      <Select label="Organisation" value={id} options={options} onChange={(chosen) => void choose(chosen)} />
      <ErrorNotice error={error} />
    </>
  );
}
