/** Lists the application templates, filtered by words and tags. The address contains the filter. */
import { useEffect, useState } from 'react';
import { searchTemplates } from '../../../src/config/templates/search-templates.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { Link } from '../routing/router.tsx';
import { call } from '../service/request.ts';
import './templates.css';

type Filter = { search: string; tag: string };

export default function TemplatesPage() {
  const { value, problem } = useAnswer('templates', () => call('listTemplates', {}));
  const [looked, setLooked] = useState(readFilter);
  useEffect(() => {
    const given = Object.entries(looked).filter(([, text]) => text !== '');
    const query = new URLSearchParams(given).toString();
    history.replaceState(null, '', `${location.pathname}${query === '' ? '' : `?${query}`}`);
  }, [looked]);

  return (
    <div className="page stack">
      <div className="templates-head">
        <h1>Templates</h1>
        <p className="soft">
          Complete applications to start from. Open one to edit it; nothing runs until you press Deploy.
        </p>
      </div>
      {problem && !value && <ProblemNotice problem={problem} />}
      {!problem && !value && <Loading what="the templates" height="40rem" />}
      {value && <Gallery {...value} looked={looked} setLooked={setLooked} />}
    </div>
  );
}

type GalleryProps = {
  templates: readonly Listed[];
  tags: readonly string[];
  looked: Filter;
  setLooked: (looked: Filter) => void;
};
type Listed = { name: string; title: string; description: string; tags: string[]; images: string[] };

function Gallery({ templates, tags, looked, setLooked }: GalleryProps) {
  const { search, tag } = looked;
  const found = searchTemplates(templates, search).filter(({ tags }) => tag === '' || tags.includes(tag));
  return (
    <>
      <div className="templates-search">
        <input
          className="input"
          type="search"
          aria-label="Search templates"
          placeholder="Search: wordpress, queue, postgres …"
          data-search
          value={search}
          onChange={({ target }) => setLooked({ search: target.value, tag })}
        />
        <fieldset className="tags">
          <legend className="spoken">Tags</legend>
          {tags.map((each) => (
            <button
              key={each}
              type="button"
              className="tag"
              aria-pressed={each === tag}
              onClick={() => setLooked({ search, tag: each === tag ? '' : each })}
            >
              {each}
            </button>
          ))}
        </fieldset>
      </div>
      <p className="small soft" role="status">
        {found.length === templates.length ? `${found.length} templates` : `${found.length} of ${templates.length}`}
      </p>
      {found.length === 0 ? (
        <div className="panel empty">
          <h2>Nothing matches</h2>
          <p>The application's own Compose file works as well: open it or paste it into the editor.</p>
          <button type="button" className="button" onClick={() => setLooked({ search: '', tag: '' })}>
            Show all templates
          </button>
        </div>
      ) : (
        <ul className="templates">
          {found.map((template) => (
            <Card key={template.name} template={template} />
          ))}
        </ul>
      )}
    </>
  );
}

function Card({ template }: { template: Listed }) {
  const { name, title, description, tags, images } = template;
  return (
    <li className="panel template">
      <h2>
        <Link to={`/new?template=${encodeURIComponent(name)}`}>{title}</Link>
      </h2>
      <p>{description}</p>
      <p className="images">{images.map(shortImage).join(' · ')}</p>
      <p className="small soft">{tags.join(', ')}</p>
    </li>
  );
}

function shortImage(image: string): string {
  return image.split('/').at(-1)!.split(':')[0]!;
}

function readFilter(): Filter {
  const requested = new URLSearchParams(location.search);
  return { search: requested.get('search') ?? '', tag: requested.get('tag') ?? '' };
}
