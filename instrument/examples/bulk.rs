use surmise_instrument::{Options, instrument};
fn main() {
    let out = std::env::args().nth(1).unwrap();
    let list = std::fs::read_to_string(std::env::args().nth(2).unwrap()).unwrap();
    let files: Vec<(String, String)> =
        list.lines().filter_map(|p| Some((p.to_string(), std::fs::read_to_string(p).ok()?))).collect();
    let total: usize = files.iter().map(|f| f.1.len()).sum();
    for round in 0..3 {
        let t = std::time::Instant::now();
        let mut sites = 0;
        let mut errs = 0;
        for (i, (p, s)) in files.iter().enumerate() {
            match instrument(s, Options { python: (3, 11) }) {
                Ok(r) => {
                    sites += r.sites.len();
                    if round == 2 {
                        std::fs::write(format!("{out}/{i}.py"), r.text).unwrap();
                        std::fs::write(format!("{out}/{i}.path"), p).unwrap();
                    }
                }
                Err(_) => errs += 1,
            }
        }
        let e = t.elapsed().as_secs_f64();
        println!("{} files {} bytes {:.1} MB/s sites {sites} errs {errs}", files.len(), total, total as f64 / 1e6 / e);
        let t = std::time::Instant::now();
        for (_, s) in &files {
            let _ = std::hint::black_box(ruff_python_parser::parse_module(s));
        }
        println!("parse only {:.1} MB/s", total as f64 / 1e6 / t.elapsed().as_secs_f64());
    }
}
