// Made by colorless humans export, which says how answers are imported again.
PennController.ResetPrefix(null);
DebugOff();
Sequence(
  "consent", "instructions", anyOf("practice", "target", "filler", "check"), SendResults(), "end"
);

const DIRECTION = $direction, GAP = $blank, DEADLINE_MS = $deadline;
const SLIDER = $slider;  // for ratings
const POINTS = $points;  // and what is logged for each of them

newTrial("consent",
  newHtml("consent", "consent.html").print(),
  newButton("agree", "✓").center().print().wait()
);

const WHO = GetURLParameter("PROLIFIC_PID") || GetURLParameter("participant") || "NULL";

newTrial("instructions",
  newHtml("instructions", "instructions.html").print(),
  newButton("begin", "→").center().print().wait()
).log("participant", WHO);

const escaped = words => words.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const text = (name, words) => newText(name, escaped(words)).css("direction", DIRECTION);

// The options are elements with the names that key_1 and key_2 are logged with.
const choice = row => [
  text("prefix", row.prefix ? row.prefix + GAP : "").center().print(),
  text("option_1", row.option_1),
  text("option_2", row.option_2),
  newCanvas("options", "90vw", "6em")
    .add("center at 25%", "middle at 50%", getText(DIRECTION === "rtl" ? "option_2" : "option_1"))
    .add("center at 75%", "middle at 50%", getText(DIRECTION === "rtl" ? "option_1" : "option_2"))
    .center().print(),
  ...(DEADLINE_MS ? [newTimer("deadline", DEADLINE_MS).start()] : []),
  newSelector("choice").add(getText("option_1"), getText("option_2"))
    .keys(...(DIRECTION === "rtl" ? ["J", "F"] : ["F", "J"])),
  ...(row.kind === "practice" ? [] : [getSelector("choice").log()]),
  ...(DEADLINE_MS
    ? [getSelector("choice").callback(getTimer("deadline").stop()), getTimer("deadline").wait()]
    : [getSelector("choice").wait()]),
  ...(row.kind === "practice"
    ? [getSelector("choice")
        .test.selected(getText(row.right === row.option_1 ? "option_1" : "option_2"))
        .success(newText("good", "✓").center().print())
        .failure(newText("bad", "✗").center().print()),
       newButton("on", "→").center().print().wait()]
    : [])
];

const rating = row => [
  text("sentence", row.sentence).center().print(),
  SLIDER ? newScale("rating", ...POINTS).slider().center().print()
         : newScale("rating", ...POINTS).button().center().print(),
  ...(row.kind === "practice" ? [] : [getScale("rating").log()]),
  newButton("on", "→").center().print().wait(getScale("rating").test.selected())
];

const TASKS = { form: choice, sentence: choice, rating };

Template(GetTable("trials.csv").setGroupColumn("group"), row => {
  const trial = newTrial(row.kind, ...TASKS[row.task](row));
  if (row.kind === "practice") return trial;
  return trial
    .log("participant", WHO)
    .log("list", row.list).log("item", row.item).log("condition", row.condition)
    .log("prefix", row.prefix).log("option_1", row.option_1).log("option_2", row.option_2)
    .log("sentence", row.sentence).log("key_1", "option_1").log("key_2", "option_2");
});

newTrial("end", newText("thanks", "✓").center().print(), newButton("stay").wait());
