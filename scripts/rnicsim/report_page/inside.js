// Puts an interactive chart in place of each picture that has its numbers beside it. Print and pages without JavaScript keep
// the picture.
(function () {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const ink = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const phone = matchMedia("(max-width: 46rem)");

  function axis(title, most) {
    return { type: "linear", min: 0, max: most, title: { display: true, text: title }, grid: {},
      ticks: { maxTicksLimit: 8, callback: value => value === most ? "" : value.toLocaleString("en") } };
  }

  function configuration(data) {
    const digits = value => value.toLocaleString("en", { maximumFractionDigits: 3 });
    return {
      type: "line",
      data: { datasets: data.lines.map((line, i) => ({
        label: line.name, data: line.points.map(([x, y]) => ({ x, y })), order: -i, clip: 3, stepped: "before",
        borderWidth: 2, borderDash: line.dashed ? [7, 3] : [], backgroundColor: "transparent", pointRadius: 0,
      })) },
      options: {
        animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: { x: axis(data.x, data.xMax), y: axis(data.y) },
        plugins: { title: { display: true, text: data.title, padding: 2 }, 
          legend: { labels: { boxHeight: 1, boxWidth: 26, sort: (a, b) => a.datasetIndex - b.datasetIndex } },
          tooltip: { callbacks: { title: () => "",
            label: at => `${at.dataset.label}: ${data.x} ${digits(at.parsed.x)}, ${data.y} ${digits(at.parsed.y)}` } } },
      },
    };
  }

  function paint(chart, data) {
    chart.data.datasets.forEach((set, i) => { set.borderColor = ink(data.lines[i].colour); });
    chart.options.color = chart.options.plugins.title.color = ink("ink");
    for (const scale of Object.values(chart.options.scales)) {
      scale.ticks.color = scale.title.color = ink("ink");
      scale.grid.color = scale.grid.borderColor = ink("rule");
    }
    Object.assign(chart.options.plugins.tooltip, { backgroundColor: ink("ink"), bodyColor: ink("page") });
    chart.update("none");
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = phone.matches ? 12 : 13;
  for (const script of document.querySelectorAll('.panel > script[type="application/json"]')) {
    const panel = script.parentElement, data = JSON.parse(script.textContent), box = document.createElement("div");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", panel.querySelector("svg").getAttribute("aria-label"));
    box.className = "chart";
    box.append(canvas);
    panel.append(box);
    panel.classList.add("live");
    const chart = new Chart(canvas, configuration(data));
    paint(chart, data);
    dark.addEventListener("change", () => paint(chart, data));
  }
})();
