import { type FormEvent, useState } from "react";
import type { BehaviorDirective, DirectiveType } from "../../../../../src/base/words/contract.ts";
import type { GatewayError } from "../../../data/client.ts";
import { useDraft } from "../../../data/drafts.ts";
import { useQuery, useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextArea } from "../../../ui/field.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { BlockDiff, RoomBar } from "../block.tsx";
import style from "../contract.module.css";
import { lineOf, scopeInWords, viewOf } from "../words.ts";
import { checkText } from "./check-form.ts";
import { CheckField, EndField, KindField, ScopeField, splitLine } from "./fields.tsx";
import { againstOf, isRefusal, usePreview } from "./use-preview.ts";
import { type Changed, Fits, Refused, Said } from "./verdict.tsx";

type Draft = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: string;
  readonly expiresAt: string;
  readonly check: string;
};

/** Adds or replaces a directive, with a live preview of the result. */
export function Editor({
  old,
  all,
  onClose,
  onUndo,
}: {
  readonly old?: BehaviorDirective | undefined;
  readonly all: readonly BehaviorDirective[];
  readonly onClose: () => void;
  readonly onUndo: () => void;
}) {
  const [draft, setDraft] = useDraft<Draft>(`directive ${old?.id ?? ""}`, () => draftOf(old));
  const set = (part: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...part }));
    setFailed(undefined);
  };
  const [failed, setFailed] = useState<GatewayError | undefined>(undefined);
  const now = useQuery("GET /api/contract", { query: viewOf(draft.scope) }, { keep: true });
  const base = now.state === "ready" ? now.data : undefined;
  const preview = useDraftPreview(old, draft, base === undefined ? "" : base.contract.hash);
  const add = useWrite("POST /api/contract/directives");
  const put = useWrite("PUT /api/contract/directives/{id}");
  const check = useWrite("PUT /api/contract/directives/{id}/check");
  const remove = useWrite("DELETE /api/contract/directives/{id}");
  const busy = add.pending || put.pending || check.pending || remove.pending;
  const tell = useToast();
  const error = failed ?? preview.error;
  const against = againstOf(error).flatMap((id) => all.find((one) => one.id === id) ?? []);
  const replaced = usePreview(
    "PUT /api/contract/directives/{id}",
    old !== undefined || against.length !== 1 || against[0] === undefined
      ? undefined
      : { query: { dryRun: "true" }, params: { id: against[0].id }, body: bodyOf(draft) },
  );
  const after = preview.value ?? (against.length === 1 ? replaced.value : undefined) ?? base;
  const said = preview.value?.outcome === "repeated" || preview.value?.outcome === "absorbed";
  const by = said ? all.find(({ id }) => id === preview.value?.directive?.id) : undefined;
  const ready = draft.text.trim() !== "" && !busy && !isRefusal(error) && !said;

  function done(text: string) {
    tell(text, { tone: "passed", action: { label: "Undo", run: onUndo } });
    onClose();
  }
  async function save(event?: FormEvent) {
    event?.preventDefault();
    if (!ready) return;
    const outcome =
      old === undefined
        ? await add.run({ body: bodyOf(draft) })
        : onlyCheck(old, draft)
          ? await check.run({ params: { id: old.id }, body: draft.check === "" ? {} : { check: draft.check } })
          : await put.run({ params: { id: old.id }, body: bodyOf(draft) });
    if (!outcome.ok) return setFailed(outcome.error);
    done(`${lineOf(draft)}: in force from the next turn`);
  }
  /** Removes the conflicting directives and puts this one in their place. */
  async function replace(these: readonly BehaviorDirective[]) {
    const [first, ...more] = old === undefined ? these : [old, ...these];
    if (first === undefined) return;
    for (const { id } of more) {
      const outcome = await remove.run({ params: { id }, query: { reason: `replaced by ${lineOf(draft)}` } });
      if (!outcome.ok) return setFailed(outcome.error);
    }
    const outcome = await put.run({ params: { id: first.id }, body: bodyOf(draft) });
    if (!outcome.ok) return setFailed(outcome.error);
    done(`${lineOf(draft)} replaced ${these.map(lineOf).join(" and ")}`);
  }

  return (
    <Dialog title={old === undefined ? "New directive" : "Edit directive"} look="wide" open onClose={onClose}>
      <form className={style.editor} onSubmit={(event) => void save(event)}>
        <div className="stack">
          <KindField type={draft.type} onChange={(type) => set({ type })} />
          <TextArea
            label="Text"
            rows={2}
            data-first=""
            maxLength={2_000}
            placeholder="long status reports"
            value={draft.text}
            onChange={({ target: { value } }) => set(splitLine(value))}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <ScopeField scope={draft.scope} onChange={(scope) => set({ scope })} />
          <EndField label="Expires" none="never" value={draft.expiresAt} onChange={(expiresAt) => set({ expiresAt })} />
          <CheckField check={draft.check} onChange={(next) => set({ check: next })} />
        </div>
        <section className="stack" aria-label="Preview">
          <div role="status" className={style.verdict}>
            {draft.text.trim() === "" ? (
              <p className="quiet">
                Your text is checked here as you type, against the directives in force and the size limit.
              </p>
            ) : error !== undefined ? (
              <Refused error={error} against={against} busy={busy} onReplace={() => void replace(against)} />
            ) : said ? (
              <Said
                outcome={preview.value?.outcome ?? ""}
                by={by}
                busy={busy}
                onReplace={by === undefined || old !== undefined ? undefined : () => void replace([by])}
              />
            ) : preview.value === undefined ? (
              <p className="quiet">Checking…</p>
            ) : (
              <Fits
                preview={preview}
                from={base?.contract.version}
                isCheck={old !== undefined && onlyCheck(old, draft)}
              />
            )}
          </div>
          <h3>
            Prompt block for <Text>{scopeInWords(draft.scope)}</Text>
          </h3>
          {base !== undefined && (
            <BlockDiff
              label="Prompt block with changes"
              before={base.contract.block}
              after={after?.contract.block ?? base.contract.block}
            />
          )}
          {after !== undefined && <RoomBar room={after.room} />}
        </section>
        <div className="row">
          <Button type="submit" look="main" busy={busy} disabled={!ready}>
            {old === undefined ? "Add directive" : "Replace directive"} <kbd>Enter</kbd>
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

function useDraftPreview(old: BehaviorDirective | undefined, draft: Draft, after: string): Changed {
  const isEmpty = draft.text.trim() === "";
  const dry = { query: { dryRun: "true" } } as const;
  const checkOnly = old !== undefined && onlyCheck(old, draft);
  const added = usePreview(
    "POST /api/contract/directives",
    isEmpty || old !== undefined ? undefined : { ...dry, body: bodyOf(draft) },
    after,
  );
  const replaced = usePreview(
    "PUT /api/contract/directives/{id}",
    isEmpty || old === undefined || checkOnly ? undefined : { ...dry, params: { id: old.id }, body: bodyOf(draft) },
    after,
  );
  const checked = usePreview(
    "PUT /api/contract/directives/{id}/check",
    old === undefined || !checkOnly
      ? undefined
      : { ...dry, params: { id: old.id }, body: draft.check === "" ? {} : { check: draft.check } },
    after,
  );
  return old === undefined ? added : checkOnly ? checked : replaced;
}

function draftOf(old: BehaviorDirective | undefined): Draft {
  return {
    type: old?.type ?? "stop",
    text: old?.text ?? "",
    scope: old?.scope ?? "global",
    expiresAt: old?.expiresAt ?? "",
    check: old?.check === undefined ? "" : checkText(old.check),
  };
}

function bodyOf({ type, text, scope, expiresAt, check }: Draft) {
  return {
    type,
    text,
    scope,
    expiresAt: expiresAt || undefined,
    check: check.trim() === "" ? undefined : check,
  };
}

/** A change of the check alone keeps the directive, with its marks and measurements. */
function onlyCheck(old: BehaviorDirective, draft: Draft): boolean {
  const before = draftOf(old);
  const same = (["type", "text", "scope", "expiresAt"] as const).every((part) => before[part] === draft[part]);
  return same && before.check !== draft.check;
}
