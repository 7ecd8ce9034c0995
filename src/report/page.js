/* SPDX-License-Identifier: MIT */
/* Shows the data of the page. Names come from strangers: they become text nodes, never HTML. */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const findings = data.findings;
const LIST_MOST = 300; /* entries of the list at a time */
let shown = LIST_MOST, current = -1, step = 0, order = "witness";

/* node("td", {class: "held"}, "text", child, …) */
function node(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
		else if (value !== false && value !== undefined) made.setAttribute(key, value);
	for (const child of children.flat())
		if (child !== undefined && child !== null && child !== false) made.append(child);
	return made;
}

const count = (n, what) => n + " " + what + (n === 1 ? "" : "s");
const short = file => file.split("/").pop();
const who = e => "thread " + (e.thread_name ? e.thread_name + " (" + e.thread + ")" : e.thread);
const place = at => at && at.file ? short(at.file) + (at.line ? ":" + at.line : "") : "";
const events = f => f.events || f.steps || [];
const title = f => f.title + (f.variable ? " on " + f.variable : "");
const verdict = f => f.verdict || "seen";
const locations = f => events(f).map(e => place(e.location)).filter(Boolean);

function badge(word, text) { return node("span", {class: "badge " + word}, text || word); }

function badges(f) {
	return [badge(verdict(f)), f.state && badge(f.state), f.suppressed && badge("suppressed")];
}

/* First screen */

function sum(key) {
	return data.sources.reduce((n, s) => n + ((s.candidates || {})[key] || 0), 0);
}

function header() {
	const bugs = findings.filter(f => !f.suppressed && verdict(f) !== "conditional" && f.state !== "known").length + data.left_out;
	const complete = data.sources.every(s => s.complete) && !sum("held");
	const one = data.sources.length === 1 ? data.sources[0] : null;
	if (data.hunt) return hunted(data.hunt, bugs);
	return node("header", {},
		node("h1", {}, "Norn: " + count(bugs, "finding") + (one ? " in " + one.name : " in " + count(data.sources.length, "report"))),
		node("div", {},
			complete ? badge("complete", "every candidate is decided") : badge("incomplete", "not complete"),
			count(sum("signatures"), "candidate") + ", " + sum("proved") + " proved, " + sum("refuted") + " refuted, " +
			sum("undecided") + " undecided, " + sum("held") + " held back, " + sum("unseen") + " not looked at"));
}

/* A hunt: what its runs have shown, and how far it came. */
function failures(hunt) { return hunt.findings.filter(f => f.kind !== "predicted"); }

function hunted(hunt, bugs) {
	const open = hunt.open.undecided + hunt.open.given_up + hunt.open.not_reached;
	return node("header", {},
		node("h1", {}, "Norn: " + count(failures(hunt).length, "failure") + " and " + count(bugs, "finding") + " in " + hunt.directory),
		node("div", {},
			hunt.complete ? badge("complete", "all behaviours are explored") : badge("incomplete", "not complete"),
			count(hunt.runs, "run") + ", " + count(hunt.behaviours, "behaviour") + ", " + count(open, "choice") + " open"));
}

function hunt_box(hunt) {
	const doubts = hunt.doubts.slice();
	if (hunt.unseen_waits) doubts.push(count(hunt.unseen_waits, "run") + " waited in calls that Norn does not see");
	if (hunt.predictions_open) doubts.push("predictions from " + count(hunt.predictions_open, "trace") + " left something open");
	if (hunt.out_of_time) doubts.push("the time was used up");
	if (hunt.out_of_runs) doubts.push("the runs were used up");
	if (hunt.interrupted) doubts.push("it was interrupted");
	return [failures(hunt).map(f => node("div", {class: "box failure"},
		node("div", {class: "wrap"}, node("strong", {}, f.kind), " " + f.text),
		node("div", {class: "dim"}, "in run " + f.run + (f.times > 1 ? ", and others" : "")),
		f.choice ? node("div", {class: "wrap"}, "the difference: " + f.choice) : null,
		command("norn replay --recorded " + f.trace), command("norn replay --recorded --gdb " + f.trace))),
	doubts.length ? node("div", {class: "box"}, node("strong", {}, "What is not sure"),
		node("ul", {class: "plain wrap"}, doubts.map(text => node("li", {}, text)))) : null];
}

function limits(s) {
	const list = [];
	if (s.cut) list.push("The trace is cut: " + s.cut);
	for (const why of s.stopped_by || []) list.push("The recording is not complete: " + why);
	if (s.interrupted) list.push("Norn was stopped before the end.");
	if (s.out_of_time) list.push("The time was used up before every candidate had its turn.");
	if (s.kept_order) list.push("The recorded order was kept at " + count(s.kept_order, "place") + ", where code without hooks may order threads.");
	if ((s.unknown_functions || []).length)
		list.push("Functions that were called and that Norn does not know: " + s.unknown_functions.join(", "));
	return list;
}

function overview() {
	const parts = [];
	for (const s of data.sources.slice(0, 200)) {
		const list = limits(s);
		parts.push(node("div", {class: "box"},
			node("div", {class: "wrap"}, node("strong", {}, s.name), " ", s.complete ? badge("complete") : badge("incomplete", "not complete")),
			node("div", {class: "dim"}, count(s.events || 0, "event") + ", model " + s.model),
			list.length ? node("ul", {class: "plain wrap"}, list.map(text => node("li", {}, text))) : null,
			(s.undecided || []).length ? node("details", {open: ""},
				node("summary", {}, count(s.undecided_count, "undecided candidate")),
				node("ul", {class: "plain wrap"}, s.undecided.map(u =>
					node("li", {}, u.bug + (u.places && u.places.length ? " at " + u.places.join(", ") : "") + ": " + u.why))),
				s.undecided_count > s.undecided.length ? node("p", {class: "dim"}, "The others are in the JSON report.") : null) : null));
	}
	if (data.sources.length > 200) parts.push(node("p", {}, count(data.sources.length - 200, "more report")));
	if (data.left_out) parts.push(node("p", {class: "incomplete"}, count(data.left_out, "more finding") + " did not fit into this page; the JSON report has all."));
	if (data.gone.length) parts.push(node("div", {class: "box"}, node("strong", {}, "Gone since the baseline"),
		node("ul", {class: "plain wrap"}, data.gone.map(f => node("li", {}, title(f) + " " + f.fingerprint)))));
	return [data.hunt ? [node("h2", {}, "What the runs have shown"), hunt_box(data.hunt)] : null,
		node("h2", {}, data.hunt ? "Runs with findings" : "What was examined"), parts];
}

/* The list */

function matches(f, words) {
	const text = (title(f) + " " + verdict(f) + " " + (f.state || "") + " " + locations(f).join(" ") + " " +
		events(f).map(e => (e.location || {}).function || "").join(" ") + " " + (f.tests || []).join(" ")).toLowerCase();
	return words.every(word => text.includes(word));
}

function listed() {
	const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
	const groups = new Map();
	findings.forEach((f, i) => {
		if (words.length && !matches(f, words)) return;
		const key = f.group;
		if (!groups.has(key)) groups.set(key, []);
		groups.get(key).push(i);
	});
	return groups;
}

function entry(i) {
	const f = findings[i];
	return node("a", {href: "#" + f.fingerprint, "aria-current": i === current ? "true" : "false", "data-i": i},
		badges(f), node("span", {class: "code"}, locations(f).join(" ↔ ") || f.fingerprint));
}

function fill_list() {
	const list = document.getElementById("list"), groups = listed();
	let n = 0, all = 0;
	list.replaceChildren(node("a", {href: "#", "aria-current": current < 0 ? "true" : "false"}, "What was examined"));
	for (const [key, members] of groups) {
		all += members.length;
		if (n >= shown) continue;
		list.append(node("div", {class: "group"}, title(findings[members[0]]), members.length > 1 ? node("span", {class: "dim"}, " (" + members.length + ")") : null));
		for (const i of members.slice(0, shown - n)) { list.append(entry(i)); n++; }
	}
	if (all > n) list.append(node("button", {onclick: () => { shown += LIST_MOST; fill_list(); }}, "show more (" + (all - n) + ")"));
	if (!findings.length) list.append(node("p", {class: "dim"}, "No findings."));
	document.body.setAttribute("data-listed", all);
}

/* A finding */

function source(file, line, around) {
	const lines = (data.files || {})[file];
	if (!lines || !line) return null;
	const rows = [];
	for (let n = Math.max(1, line - around); n <= line + around; n++)
		if (lines[n] !== undefined)
			rows.push(node("span", n === line ? {class: "here"} : {}, node("b", {class: "dim"}, n), node("i", {}, lines[n])));
	return rows.length ? node("pre", {class: "source"}, rows) : null;
}

function where(at) {
	if (!at || !at.file) return node("span", {class: "dim"}, "no location");
	return node("span", {class: "code wrap", title: at.file}, at.file + (at.line ? ":" + at.line : "") + (at.column ? ":" + at.column : "") +
		(at.function ? " in " + at.function : ""));
}

/* The calls around it, the innermost first. */
function callers(at) {
	const list = ((at || {}).callers || []).map(text => {
		const parts = /^(.*?):(\d+)(?::(\d+))?(?::(.*))?$/.exec(text);
		return parts ? {file: parts[1], line: Number(parts[2]), function: parts[4]} : {file: text};
	});
	return list.length ? node("ol", {class: "calls wrap"}, list.map(c =>
		node("li", {title: c.file}, "called from ", node("b", {}, c.function || "?"), " " + place(c)))) : null;
}

/* What is so large is an address, as a rule. */
function value(v) {
	return v >= 2 ** 40 && v < 2 ** 48 ? "0x" + v.toString(16) : String(v);
}

function subject(e) {
	const v = (e.variables || [])[0];
	return v ? v.name + (v.value !== undefined ? " = " + value(v.value) : "") : e.object || "";
}

function event_box(e) {
	const what = e.text || (e.op === "mark" ? subject(e) : e.op + " of " + subject(e));
	return node("div", {class: "box"},
		node("div", {class: "wrap"}, node("strong", {}, what), e.text ? "" : " by " + who(e),
			e.order ? node("span", {class: "dim"}, " (" + e.order + ")") : ""),
		node("div", {}, where(e.location)), callers(e.location),
		(e.holds || []).map(h => node("div", {class: "wrap"}, "holds " + h.lock + (h.shared ? " (shared)" : ""),
			h.location ? [node("span", {class: "dim"}, ", taken at " + place(h.location)), callers(h.location)] : "")),
		e.created ? node("div", {class: "dim wrap"}, who(e) + " was created by " + who(e.created) +
			(e.created.location ? " at " + place(e.created.location) : ""), callers(e.created.location)) : null,
		e.location ? source(e.location.file, e.location.line, 3) : null);
}

/* The events that are shown: the end of the witness, then those of the bug that come next. */
function moves(f) {
	const last = ((f.witness || {}).last || []).slice();
	const bug = new Set(events(f).map(e => e.event));
	const here = new Set(last.map(m => m.event));
	for (const e of events(f))
		if (!here.has(e.event)) {
			const v = (e.variables || [])[0] || {};
			last.push({event: e.event, thread: e.thread, thread_name: e.thread_name, op: e.op, does: (order === "witness" ? "next: " : "") + e.op, object: v.name || e.object, value: v.value,
				holds: (e.holds || []).map(h => h.lock), file: (e.location || {}).file, line: (e.location || {}).line});
		}
	for (const m of last) m.bug = bug.has(m.event);
	let most = 0;
	for (const m of last) {
		m.moved = m.event < most;
		most = Math.max(most, m.event);
	}
	return order === "witness" ? last : last.slice().sort((a, b) => a.event - b.event);
}

/* What a read of another write returns, and what an event that comes next does, is not recorded. */
function says(m) {
	const known = order === "recorded" || (m.from === undefined && !m.does.startsWith("next"));
	return m.does + (m.object ? " " + m.object : "") + (m.value === undefined || !known ? "" : " = " + value(m.value)) +
		(m.written === undefined || !known ? "" : " → " + value(m.written));
}

function lanes(f, list) {
	const threads = [...new Set(list.map(m => m.thread))];
	const body = list.map((m, i) => node("tr", {"data-step": i, class: m.bug ? "bug" : false, onclick: () => go(i)},
		node("td", {}, m.event),
		threads.map(t => {
			if (t !== m.thread) return node("td", {});
			return node("td", {class: "act" + ((m.holds || []).length ? " held" : ""),
				title: (m.holds || []).length ? "holds " + m.holds.join(", ") : false},
				node("span", {class: order === "witness" && m.moved ? "moved" : false}, says(m)),
				" ", node("span", {class: "dim place"}, place(m)),
				order === "witness" && m.from !== undefined ? node("div", {class: "conditional"},
					"reads " + (m.from ? "event " + m.from : "the initial value") + ", recorded " +
					(m.recorded ? "event " + m.recorded : "the initial value")) : null);
		})));
	return node("div", {class: "scroll", tabindex: "0", id: "lanes"},
		node("table", {class: "lanes"},
			node("thead", {}, node("tr", {}, node("th", {}, "event"), threads.map(t => node("th", {}, who(list.find(m => m.thread === t)))))),
			node("tbody", {}, body)));
}

/* Values and locks after the steps so far. */
function state(list) {
	const values = new Map(), held = new Map();
	list.slice(0, step + 1).forEach((m, i) => {
		const stores = /write|rmw|store/.test(m.op) && !m.bug;
		if (stores) values.set(m.object, {text: value(m.written === undefined ? m.value : m.written), by: m, now: i === step});
		const locks = new Set(m.holds || []);
		if (!m.does.startsWith("next")) {
			if (/^acquire|^woken/.test(m.op) && m.object) locks.add(m.object);
			if (/^release/.test(m.op)) locks.delete(m.object);
		}
		held.set(m.thread, {locks: [...locks], by: m, now: i === step});
	});
	const m = list[step];
	return node("div", {class: "state"},
		node("div", {class: "box"}, node("strong", {}, "Values written so far"),
			values.size ? node("table", {}, [...values].map(([name, v]) => node("tr", {class: v.now ? "changed" : false},
				node("td", {}, name + " = " + v.text), node("td", {class: "dim"}, who(v.by) + " " + place(v.by))))) :
				node("div", {class: "dim"}, "none in what is shown")),
		node("div", {class: "box"}, node("strong", {}, "Locks held"),
			node("table", {}, [...held.values()].map(h => node("tr", {class: h.now ? "changed" : false},
				node("td", {}, who(h.by)), node("td", {}, h.locks.join(", ") || node("span", {class: "dim"}, "none")))))),
		node("div", {class: "box"}, node("strong", {class: "wrap"}, m ? who(m) + " " + says(m) : ""),
			m ? node("div", {class: "dim wrap"}, m.file ? m.file + ":" + m.line : "no location") : null,
			m ? source(m.file, m.line, 2) : null));
}

function mark(list) {
	document.querySelectorAll("#lanes tbody tr").forEach((row, i) => {
		row.classList.toggle("now", i === step);
		row.classList.toggle("later", i > step);
		if (i === step) {
			const box = document.getElementById("lanes");
			if (row.offsetTop < box.scrollTop + 40) box.scrollTop = row.offsetTop - 60;
			else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight + 20;
		}
	});
	document.getElementById("state").replaceChildren(state(list));
	document.getElementById("at").textContent = "step " + (step + 1) + " of " + list.length;
	document.getElementById("back").disabled = step <= 0;
	document.getElementById("on").disabled = step >= list.length - 1;
	document.body.setAttribute("data-step", step);
}

function go(to) {
	if (current < 0) return;
	const list = moves(findings[current]);
	if (!list.length) return;
	step = Math.max(0, Math.min(list.length - 1, to));
	mark(list);
}

function switch_order() {
	order = order === "witness" ? "recorded" : "witness";
	if (current >= 0) show_schedule();
}

function show_schedule() {
	const f = findings[current], list = moves(f), w = f.witness || {};
	const box = document.getElementById("schedule");
	if (!box) return;
	const hidden = (w.events || 0) - (w.last || []).length;
	box.replaceChildren(
		node("p", {class: "dim"}, order === "witness" ?
			"The execution that shows it: " + count(w.events || 0, "event") + (hidden > 0 ? ", of which the last ones are here, without branches." : ".") +
			" ↓ marks what comes later than in the recorded run; a bar at the left, that the thread holds a lock." :
			"The same events in the order of the recorded run."),
		node("div", {class: "tools"},
			node("button", {id: "back", onclick: () => go(step - 1)}, "↑ back (k)"),
			node("button", {id: "on", onclick: () => go(step + 1)}, "↓ next (j)"),
			node("button", {id: "order", "aria-pressed": order === "recorded" ? "true" : "false", onclick: switch_order},
				order === "witness" ? "show the recorded order (o)" : "show the witness (o)"),
			node("span", {id: "at", class: "dim", "aria-live": "polite"})),
		lanes(f, list), node("div", {id: "state"}));
	step = Math.min(step, list.length - 1);
	mark(list);
}

function waits(f) {
	const thread = n => who(events(f).find(e => e.event === n) || {thread: "?"});
	const lines = (f.waits || []).map(w => w.why ? thread(w.event) + ": " + w.why : thread(w.event) + " waits for " + w.lock + ", which " + who({thread: w.held_by, thread_name: w.held_by_name}) + " holds" +
		(w.location ? ", taken at " + place(w.location) : ""));
	if (f.property) lines.push(f.property.assertion + ": " + f.property.why);
	if (f.pattern) lines.push("Pattern " + f.pattern + (f.pattern_text ? ": " + f.pattern_text : ""));
	if (f.relies_on) lines.push(f.relies_on.length ? "It relies on functions that Norn does not know: " + f.relies_on.join(", ") :
		"It relies on something that the record does not show.");
	return lines.length ? node("div", {class: "box"}, node("ul", {class: "plain wrap"}, lines.map(text => node("li", {}, text)))) : null;
}

/* The events that a property is about, here and as recorded; of many the last ones. */
function specification(f) {
	const p = f.property, most = 100;
	if (!p || !(p.order || p.recorded)) return null;
	const here = (p.order || []).slice(-most), then = (p.recorded || []).slice(-most), at = p.specification || {};
	const cell = e => node("td", {class: "wrap"}, e ? [e.name + " ", node("span", {class: "dim place"}, who(e) + (e.location ? ", " + place(e.location) : ""))] : "");
	const rows = Array.from({length: Math.max(here.length, then.length)}, (_, i) => node("tr", {class: i === here.length - 1 ? "bug" : false}, cell(here[i]), cell(then[i])));
	return [node("h3", {}, "The events of the specification"),
		node("div", {class: "scroll"}, node("table", {class: "lanes sides", id: "specification"},
			node("thead", {}, node("tr", {}, node("th", {}, "in this execution"), node("th", {}, "as recorded"))), node("tbody", {}, rows))),
		at.at ? node("p", {class: "wrap"}, "Before the end, the specification is at " + at.at + (at.allowed ? " and allows: " + at.allowed.join(", ") : "") + ".") : null];
}

function replay(f) {
	const r = f.replay;
	if (!r) return null;
	return [node("h3", {}, r.confirmed ? "Replayed" : "Not replayed"),
		node("div", {class: "box"}, node("div", {class: "wrap"}, r.text || ""), (r.follows || []).map(text => node("div", {class: "wrap"}, text)),
			r.again ? [r.again, r.confirmed ? r.again.replace(/^(norn|\S*\/norn) replay /, "$& --gdb ").replace("  ", " ") : null]
				.filter(Boolean).map(command) : null)];
}

function command(text) {
	const code = node("code", {class: "wrap again"}, text);
	return node("div", {class: "tools"}, code, node("button", {onclick: event => copy(code, event.target)}, "copy"));
}

function copy(code, button) {
	const range = document.createRange();
	range.selectNodeContents(code);
	getSelection().removeAllRanges();
	getSelection().addRange(range);
	button.textContent = document.execCommand("copy") ? "copied" : "selected";
}

function detail(f) {
	const schedule = !f.brief && ((f.witness || {}).last || []).length + events(f).length > 0 && !f.steps;
	return [node("h2", {}, title(f)), node("div", {}, badges(f),
			node("span", {class: "dim"}, f.instances > 1 ? "one of " + f.instances + " like it, " : "", "fingerprint " + f.fingerprint)),
		f.note ? node("p", {class: "wrap"}, "Note: " + f.note + ".") : null,
		f.seen === true ? node("p", {}, "The recorded run had it, too.") : null,
		f.allocated ? [node("p", {class: "dim"}, "The block was allocated by " + who(f.allocated) + " at " + place(f.allocated.location) + "."),
			callers(f.allocated.location)] : null,
		(f.tests || []).length ? node("p", {class: "wrap"}, "In: " + f.tests.join(", ")) : null,
		data.hunt && f.steps && (f.tests || []).length ? command("norn replay --recorded " + f.tests[0]) : null,
		node("div", {class: "pair"}, events(f).map(event_box)), waits(f), specification(f),
		f.brief ? node("p", {class: "dim"}, "The page has no room for more of this finding; the JSON report has all.") : null,
		schedule ? [node("h3", {}, "Why it can happen"), node("div", {id: "schedule"})] : null,
		replay(f)];
}

function show() {
	const print = location.hash.slice(1);
	current = print ? findings.findIndex(f => f.fingerprint === print) : -1;
	const main = document.getElementById("main");
	step = 1e9;
	main.replaceChildren(...(current < 0 ? overview() : detail(findings[current])).flat(9).filter(Boolean));
	if (current >= 0 && document.getElementById("schedule")) show_schedule();
	document.querySelectorAll("#list a").forEach(a => a.setAttribute("aria-current",
		a.getAttribute("href") === (current < 0 ? "#" : "#" + print) ? "true" : "false"));
	document.body.setAttribute("data-shown", current < 0 ? "overview" : print);
	scrollTo(0, 0);
}

function walk(by) {
	const order_of = [].concat(...listed().values());
	const at = order_of.indexOf(current), to = at < 0 ? (by > 0 ? 0 : order_of.length - 1) : at + by;
	if (order_of[to] !== undefined) location.hash = findings[order_of[to]].fingerprint;
}

const keys = {j: () => go(step + 1), k: () => go(step - 1), n: () => walk(1), p: () => walk(-1), o: switch_order,
	"/": () => document.getElementById("filter").focus()};

document.addEventListener("keydown", event => {
	if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT" || !keys[event.key]) return;
	event.preventDefault();
	keys[event.key]();
});
document.body.replaceChildren(header(), node("div", {class: "columns"},
	node("nav", {"aria-label": "findings"},
		node("input", {type: "search", id: "filter", placeholder: "filter (/)", "aria-label": "filter", oninput: () => { shown = LIST_MOST; fill_list(); }}),
		node("p", {class: "dim"}, "keys: n, p findings; j, k steps; o order; / filter"),
		node("div", {id: "list"})),
	node("main", {id: "main"})));
addEventListener("hashchange", show);
document.documentElement.style.setProperty("--head", document.querySelector("header").offsetHeight + "px");
show();
fill_list();
if (!location.hash && findings.length) location.replace("#" + findings[0].fingerprint);
