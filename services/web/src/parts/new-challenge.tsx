// The form that opens a challenge.
import { lobby } from "../api/clients";
import { insist } from "../api/insist";
import { ColourChoice } from "../gen/tengen/game/v1/lobby_pb";
import { useWords, type Words } from "../i18n";
import { Kept, useStore } from "../store";
import type { Asking } from "./asking";

const SIZES = ["19", "13", "9"] as const;
const HANDICAPS = ["0", "2", "3", "4", "5", "6", "7", "8", "9"] as const;
const PRESETS = ["blitz", "casual", "local", "national", "untimed"] as const;

interface Choice {
  size: string;
  preset: string;
  handicap: string;
  colour: string;
  rated: boolean;
}

/** As it was chosen last. */
const chosen = new Kept<Choice>(localStorage, "tengen.challenge", {
  size: "19",
  preset: "blitz",
  handicap: "0",
  colour: String(ColourChoice.RANDOM),
  rated: true,
});

export function NewChallenge({ asking, onOpened }: { asking: Asking; onOpened: () => void }) {
  const w = useWords();
  const choice = useStore(chosen);
  const set = (part: Partial<Choice>) => chosen.set({ ...choice, ...part });
  const timed = choice.preset !== "untimed";

  function open(event: SubmitEvent) {
    event.preventDefault();
    const size = Number(choice.size);
    asking.ask(async () => {
      await insist((requestId, options) =>
        lobby.createChallenge(
          {
            requestId,
            preset: timed ? choice.preset : "",
            colour: Number(choice.colour) as ColourChoice,
            settings: {
              size: { rows: size, columns: size },
              handicap: Number(choice.handicap),
              rated: choice.rated && timed,
            },
          },
          options,
        ),
      );
      onOpened();
    });
  }

  return (
    <form onSubmit={open}>
      <fieldset class="segments">
        <legend>{w.boardSize}</legend>
        {SIZES.map((size) => (
          <label key={size}>
            <input
              type="radio"
              name="size"
              value={size}
              checked={choice.size === size}
              onChange={() => set({ size })}
            />
            <span>
              {size}×{size}
            </span>
          </label>
        ))}
      </fieldset>
      <Choose label={w.time} name="preset" value={choice.preset} onPick={(preset) => set({ preset })}>
        {PRESETS.map((preset) => [preset, presetText(w, preset)])}
      </Choose>
      <div class="pair">
        <Choose
          label={w.handicap}
          name="handicap"
          value={choice.handicap}
          onPick={(handicap) => set({ handicap })}
        >
          {HANDICAPS.map((n) => [n, n === "0" ? w.noHandicap : w.handicapStones(Number(n))])}
        </Choose>
        <Choose
          label={w.colour}
          name="colour"
          value={choice.colour}
          onPick={(colour) => set({ colour })}
        >
          {[
            [String(ColourChoice.RANDOM), w.random],
            [String(ColourChoice.BLACK), w.black],
            [String(ColourChoice.WHITE), w.white],
          ]}
        </Choose>
      </div>
      <label class="check">
        <input
          type="checkbox"
          name="rated"
          checked={choice.rated && timed}
          disabled={!timed}
          onChange={(event) => set({ rated: event.currentTarget.checked })}
        />
        <span>{w.ratedLabel}</span>
      </label>
      <button class="primary" disabled={asking.busy}>
        {w.create}
      </button>
    </form>
  );
}

function presetText(w: Words, preset: (typeof PRESETS)[number]): string {
  return preset === "untimed" ? w.untimed : w.presets[preset];
}

interface ChooseProps {
  label: string;
  name: string;
  value: string;
  onPick: (value: string) => void;
  children: [value: string, text: string][];
}

function Choose({ label, name, value, onPick, children }: ChooseProps) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {children.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
